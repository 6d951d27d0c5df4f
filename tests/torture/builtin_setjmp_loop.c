#include <stdio.h>
static void *buffer[5];
__attribute__((noinline)) static void maybe(int i) { if (i % 4 == 2) __builtin_longjmp(buffer, 1); }
__attribute__((noinline)) static int f(int n) {
    volatile int sum = 0, i = 0;
    for (i = 0; i < n; i++) {
        if (__builtin_setjmp(buffer)) { sum += 100; if (sum > 350) break; continue; }
        sum++;
        maybe(i);
        if (i & 1) sum += 2;
    }
    return sum;
}
int main(void) { printf("%d %d\n", f(4), f(30)); }
