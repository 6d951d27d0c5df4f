#include <stdio.h>
static int f(unsigned n) { int s = 0;
#define I(k) if (n >> k & 1) s += k; else s -= 1;
    I(0) I(1) I(2) I(3) I(4) I(5) I(6) I(7) I(8) I(9) I(10) I(11) I(12) I(13) I(14) I(15)
    return s; }
int main(void) { int s = 0; for (unsigned i = 0; i < 300; i++) s += f(i * 2654435761u >> 7); printf("%d\n", s); }
