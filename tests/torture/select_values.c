#include <stdio.h>
static unsigned f(unsigned a, unsigned b) { unsigned m = a < b ? a : b, x = a > b ? a : b; return x - m > 3 ? x : (a ^ b) < 4 ? m : a == b; }
int main(void) { unsigned s = 0; for (unsigned i = 0; i < 20; i++) for (unsigned j = 0; j < 20; j++) s += f(i, j); printf("%u\n", s); }
