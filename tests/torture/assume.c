// flags: -std=gnu23
#include <stdio.h>
static int f(int n) { __builtin_assume(n >= 0); [[clang::assume(n < 100)]]; if (n < 0) return -1; if (n >= 100) return -2; return n / 4; }
int main(void) { int s = 0; for (int i = 0; i < 99; i++) s += f(i); printf("%d\n", s); }
