/* flags: -std=gnu89 -Wno-deprecated-non-prototype */
#include <stdio.h>
int add(a, b) int a; int b; { return a > b ? a + b : a; }
static later();
main() { int s = 0, i; for (i = 0; i < 4; i++) s += add(i, 2) + later(i); printf("%d\n", s); return 0; }
static later(n) { if (n & 1) return n; return 2; }
