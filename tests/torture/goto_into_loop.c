#include <stdio.h>
static int f(int n) {
    int i = 0, sum = 0;
    if (n & 1) goto middle;
    for (i = 0; i < 4; i++) {
        sum += 10;
    middle:
        sum++;
    }
    if (sum < 30) { if (n == 2) goto inner; while (sum < 50) { sum += 7; inner: sum += 2; } }
    return sum;
}
int main(void) { printf("%d %d %d\n", f(0), f(1), f(2)); }
