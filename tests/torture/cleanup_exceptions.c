// flags: -fexceptions
#include <stdio.h>
#include <stdlib.h>
static void clean(int *n) { printf("clean %d\n", *n); }
static void leave(int n) { if (n == 3) exit(0); }
int main(void) {
    for (int i = 0; i < 5; i++) { __attribute__((cleanup(clean))) int a = i; leave(i); }
}
