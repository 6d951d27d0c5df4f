#include <stdio.h>
static int once(int n) {
    do {
        if (n & 1) break;
        if (n & 2) continue;
        n *= 3;
    } while (0);
    return n;
}
int main(void) {
    int sum = 0, n = 0;
    do { if (n % 2) continue; sum += n; } while (++n < 9);
    do sum += once(n); while (n-- > 1);
    printf("%d\n", sum);
}
