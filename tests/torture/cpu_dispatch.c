#include <stdio.h>
__attribute__((cpu_specific(generic))) int f(int n) { return n > 2 ? n : 2; }
__attribute__((cpu_specific(skylake, broadwell))) int f(int n) { return n > 2 ? n : 2; }
__attribute__((cpu_dispatch(generic, skylake, broadwell))) int f(int);
int main(void) { int s = 0; for (int i = 0; i < 6; i++) s += f(i); printf("%d\n", s); }
