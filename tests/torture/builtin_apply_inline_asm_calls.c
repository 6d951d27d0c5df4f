#include <stdio.h>
__attribute__((used, noinline)) static int callee(int n) { return n > 2 ? n * 3 : 1; }
static int f(int n) { int r; asm volatile("subq $128, %%rsp\n\tcall *%2\n\taddq $128, %%rsp" : "=a"(r), "+D"(n) : "r"(callee) : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc"); return r; }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += f(i); printf("%d\n", s); }
