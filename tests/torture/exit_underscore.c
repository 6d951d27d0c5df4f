#include <stdio.h>
#include <stdlib.h>
static int f(int n) { for (int i = 0; i < 9; i++) if (i * n > 12) _Exit(i); return 0; }
int main(void) { f(1); return f(3); }
