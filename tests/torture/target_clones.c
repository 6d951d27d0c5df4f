#include <stdio.h>
__attribute__((target_clones("avx2", "default"))) int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) if (p[i] & 1) s += p[i]; return s; }
int main(void) { int a[40]; for (int i = 0; i < 40; i++) a[i] = i * 7 % 11; printf("%d %d\n", sum(a, 40), sum(a, 3)); }
