#include <stdio.h>
static int f(int n) { __builtin_cpu_init(); int s = n; if (__builtin_cpu_supports("sse2")) s += 1; if (__builtin_cpu_is("intel") || 1) s += 2; return s; }
int main(void) { printf("%d\n", f(4)); }
