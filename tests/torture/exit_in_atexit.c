#include <stdio.h>
#include <stdlib.h>
static int n;
static void one(void) { printf("one %d\n", ++n); if (n < 3) atexit(one); }
static void two(void) { puts("two"); exit(4); }
int main(void) { atexit(one); atexit(two); return 1; }
