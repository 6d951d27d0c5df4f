#include <stdio.h>
__attribute__((naked)) static int twice(int n) { asm("leal (%rdi,%rdi), %eax\n\tret"); }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += i & 1 ? twice(i) : 1; printf("%d\n", s); }
