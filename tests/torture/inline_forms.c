#include <stdio.h>
static inline int a(int n) { return n > 1 ? n : 1; }
inline int b(int n) { return n & 1 ? 3 : 4; }
extern inline int b(int n);
__attribute__((always_inline)) static inline int c(int n) { for (int i = 0; i < 3; i++) n += i; return n; }
__attribute__((gnu_inline)) extern inline int d(int n) { return n ? n : 9; }
int d(int n) { return n ? n : 9; }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += a(i) + b(i) + c(i) + d(i); printf("%d\n", s); }
