#include <stdio.h>
#include <string.h>
static int f(int n) {
    char a[64], b[64];
    __builtin_memset(a, n, n);
    __builtin_memcpy_inline(b, a, 16);
    if (__builtin_memcmp(a, b, n > 16 ? 16 : n)) return -1;
    __builtin_prefetch(a);
    for (int i = 0; i < n; i++) b[i] = a[n - 1 - i];
    return __builtin_strlen(n & 1 ? "odd" : "even") + (b[0] == n);
}
int main(void) { int s = 0; for (int i = 1; i < 50; i += 7) s += f(i); printf("%d\n", s); }
