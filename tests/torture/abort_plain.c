#include <stdlib.h>
static int f(int n) { if (n > 3) abort(); return n; }
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += f(i); return s; }
