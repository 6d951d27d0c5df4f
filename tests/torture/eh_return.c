#include <stdio.h>
__attribute__((noinline)) static void f(int n) { if (n & 1) __builtin_eh_return(0L, __builtin_return_address(0)); puts("even"); }
int main(void) { for (int i = 0; i < 4; i++) f(i); puts("end"); }
