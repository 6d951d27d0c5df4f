// flags: -std=gnu23
#include <stddef.h>
#include <stdio.h>
static int f(unsigned n) { switch (n & 3) { case 0: return 5; case 1: return 6; case 2: return 7; case 3: return 8; } unreachable(); }
static int g(int n) { if (n < 0) __builtin_unreachable(); return n < 0 ? 1 : n; }
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += f(i) * g(i); printf("%d\n", s); }
