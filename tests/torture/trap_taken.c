#include <stdio.h>
static int f(int n) { if (n == 4) __builtin_trap(); return n * 2; }
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += f(i); printf("%d\n", s); }
