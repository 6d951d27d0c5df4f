#include <stdio.h>
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int odd(int n);
static int even(int n) { if (n == 0) return 1; return odd(n - 1); }
static int odd(int n) { if (n == 0) return 0; return even(n - 1); }
static int hanoi(int n, int a, int b) { if (n == 0) return 0; int c = 6 - a - b; return hanoi(n - 1, a, c) + 1 + hanoi(n - 1, c, b); }
static int collatz(int n) { if (n == 1) return 0; return 1 + collatz(n & 1 ? 3 * n + 1 : n / 2); }
int main(void) { printf("%d %d %d %d %d\n", ack(2, 3), even(10), odd(7), hanoi(6, 1, 3), collatz(27)); }
