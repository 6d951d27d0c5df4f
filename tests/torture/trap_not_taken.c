#include <stdio.h>
static int f(int n) { if (n > 100) __builtin_trap(); if (n < -100) __builtin_verbose_trap("range", "too small"); return n; }
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += f(i); printf("%d\n", s); }
