#include <stdio.h>
#define kind(x) _Generic((x), int: 1, double: 2, char *: 3, default: 4)
static int f(int n) {
    int sum = kind(n) + kind(1.0) * 10 + kind("x") * 100 + kind(1L) * 1000;
    sum += __builtin_choose_expr(sizeof(int) == 4, n, 0);
    sum += __builtin_types_compatible_p(int, long) ? 5 : 6;
    if (__builtin_constant_p(n)) sum += 1;
    if (__builtin_constant_p(7)) sum += 2;
    return sum;
}
int main(int c, char **v) { printf("%d\n", f(c) - (f(c) & 1)); }
