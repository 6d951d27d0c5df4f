#include <stdio.h>
static int n;
__attribute__((constructor(200))) static void early(void) { n = n * 10 + 1; }
__attribute__((constructor)) static void late(void) { if (n == 1) n = n * 10 + 2; }
__attribute__((destructor)) static void end(void) { for (int i = 0; i < 2; i++) printf("end %d\n", n + i); }
__attribute__((destructor(200))) static void last(void) { puts("last"); }
int main(void) { printf("%d\n", n); return n != 12; }
