#include <stdio.h>
static int f(int *p, int i) { if (__builtin_allow_runtime_check("mine")) { if (i > 3) return -1; } return p[i & 3]; }
int main(void) { int a[] = {1, 2, 3, 4}, s = 0; for (int i = 0; i < 4; i++) s += f(a, i); printf("%d\n", s); }
