#include <stdio.h>
#include <stdlib.h>
_Noreturn static void done(int n) { printf("done %d\n", n); exit(0); }
static int check(int n) { if (n > 20) done(n); return n + 3; }
int main(void) { int n = 0; for (;;) n = check(n); }
