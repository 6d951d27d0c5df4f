// A loop whose body has two ways. Paths never go round a loop: each iteration is a path of its own.
#include <stdio.h>

static int alternating_sum(int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++) {
        if (i % 2 == 0)
            sum -= i;
        else
            sum += i;
    }
    return sum;
}

int main(void) {
    printf("%d\n", alternating_sum(100));
    return 0;
}
