#include <stdio.h>
static int f(int n) { void *to = &&only; if (n) n += 2; goto *to; n = 100; only: return n; }
int main(void) { printf("%d %d\n", f(0), f(1)); }
