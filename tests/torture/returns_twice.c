#include <setjmp.h>
#include <stdio.h>
int my_setjmp(jmp_buf) __attribute__((returns_twice, alias("named")));
static int calls;
__attribute__((returns_twice, noinline)) int named(jmp_buf b) { return ++calls; }
int main(void) { jmp_buf b; int s = 0; for (int i = 0; i < 4; i++) { if (my_setjmp(b) & 1) s += 10; else s++; } printf("%d\n", s); }
