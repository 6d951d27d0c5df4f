#include <stdio.h>
static int f(double a, float b) {
    int n = 0;
    if (a < b) n |= 1;
    if (a <= b) n |= 2;
    if (a == b) n |= 4;
    if (a != b) n |= 8;
    if (!(a > b)) n |= 16;
    if (a) n |= 32;
    if (__builtin_isnan(a)) n |= 64;
    if (__builtin_isunordered(a, b)) n |= 128;
    n += a > 1 ? (int)a : b > 1 ? (int)b : 0;
    return n;
}
int main(void) {
    double nan = __builtin_nan("");
    printf("%d %d %d %d %d\n", f(0, 0), f(1.5, 2), f(nan, 1), f(1e6, -1), f(-0.0, 0));
}
