#include <stdio.h>
#include <complex.h>
struct bits { unsigned a : 1; signed b : 2; _Bool c : 1; };
static int f(struct bits s, void *p, _Complex double z, __int128 w) {
    int n = 0;
    if (s.a) n++;
    if (s.b < 0) n += 2;
    if (s.c) n += 4;
    if (p) n += 8;
    if (z) n += 16;
    if (w > ((__int128)1 << 70)) n += 32;
    while (s.b) { s.b++; n += 64; }
    return n;
}
int main(void) {
    struct bits one = {1, -2, 1}, two = {0, 0, 0};
    printf("%d %d\n", f(one, &one, 1 + I, (__int128)1 << 80), f(two, 0, 0, 3));
}
