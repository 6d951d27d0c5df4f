#include <stdio.h>
static int f(int n) {
    int s = 0;
    if (__builtin_expect(n > 3, 0)) s += 1;
    if (__builtin_expect(n > 3, 1)) s += 2;
    if (__builtin_expect_with_probability(n & 1, 1, 0.7)) s += 4;
    switch (__builtin_expect(n, 2)) { case 0: s += 8; break; case 2: s += 16; break; default: s += 32; }
    while (__builtin_expect(n-- > 0, 1)) s++;
    if (__builtin_unpredictable(s & 1)) s += 64;
    return s;
}
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += f(i); printf("%d\n", s); }
