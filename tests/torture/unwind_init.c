#include <stdio.h>
__attribute__((noinline)) static int f(int n) { __builtin_unwind_init(); int s = 0; for (int i = 0; i < n; i++) if (i % 3) s += i; return s; }
int main(void) { printf("%d\n", f(3) + f(10)); }
