#include <stdio.h>
static int f(const int *p, int n) {
    int s = 0;
#pragma clang loop unroll(full)
    for (int i = 0; i < 4; i++) s += p[i];
#pragma unroll 3
    for (int i = 0; i < n; i++) if (p[i] > 2) s += i;
#pragma clang loop vectorize(enable) interleave_count(2)
    for (int i = 0; i < n; i++) s ^= p[i];
#pragma clang loop distribute(enable) unroll(disable)
    for (int i = 0; i < n; i++) s += p[i] * 3;
#pragma nounroll
    while (n --> 0) s -= p[n] & 1 ? 2 : 1;
    return s;
}
int main(void) { int a[32]; for (int i = 0; i < 32; i++) a[i] = i * i % 13; printf("%d %d\n", f(a, 32), f(a, 5)); }
