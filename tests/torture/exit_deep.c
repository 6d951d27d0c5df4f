#include <stdio.h>
#include <stdlib.h>
static void last(void) { puts("last"); }
static int f(int n) { if (n == 0) { puts("exit"); exit(3); } if (n & 1) return f(n - 1) + 1; int r = f(n - 1); puts("never"); return r; }
int main(void) { atexit(last); if (f(5)) puts("never"); return 0; }
