#include <stdio.h>
static int f(int n) { return n > 1 ? n * 2 : 7; }
int main(void) { int s = 0; for (int i = 0; i < 4; i++) s += __builtin_call_with_static_chain(f(i), &s); printf("%d\n", s); }
