#include <stdio.h>
static int loop(int n, int acc) { if (n == 0) return acc; if (n & 1) return loop(n - 1, acc + n); return loop(n - 1, acc); }
__attribute__((noinline)) static int leaf(int n) { return n > 3 ? n * 2 : n; }
__attribute__((noinline)) static int sibling(int n) { if (n < 0) return 0; return leaf(n + 1); }
int main(void) { int s = 0; for (int i = -2; i < 6; i++) s += sibling(i); printf("%d %d\n", loop(1000, 0), s); }
