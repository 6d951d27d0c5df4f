#include <stdio.h>
#include <stdlib.h>
static void quick(void) { printf("quick\n"); fflush(stdout); }
static void deep(int n) { if (n) deep(n - 1); else quick_exit(2); }
int main(void) { at_quick_exit(quick); deep(3); }
