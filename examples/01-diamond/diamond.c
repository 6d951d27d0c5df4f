// Two decisions, one after the other: four paths are possible, and the numbers 1 to 7 take three of them.
#include <stdio.h>

static const char *judge(int n) {
    const char *verdict = "small";
    if (n > 5)
        verdict = "large";
    if (n % 4 == 0)
        puts("divisible by four");
    return verdict;
}

int main(void) {
    int large = 0;
    for (int n = 1; n <= 7; n++)
        large += judge(n)[0] == 'l';
    printf("%d large\n", large);
    return 0;
}
