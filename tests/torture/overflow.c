#include <stdio.h>
static int f(int a, int b) {
    int r;
    if (__builtin_add_overflow(a, b, &r)) return -1;
    if (__builtin_mul_overflow(r, b, &r)) return -2;
    if (__builtin_sub_overflow(r, a, &r)) return -3;
    return r & 7;
}
int main(void) { int s = 0; for (int i = 1; i < 31; i += 3) s += f(1 << i, i) + f(-(1 << i), 1 << i); printf("%d\n", s); }
