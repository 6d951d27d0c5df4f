#include <stdio.h>
#include <stdlib.h>
static volatile int n;
static void spin(void) { while (1) { if (n++ == 7) exit(n); } }
int main(void) { spin(); }
