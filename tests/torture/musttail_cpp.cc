#include <cstdio>
struct S { int n; int step(int k) { if (k == 0) return n; n += k; [[clang::musttail]] return other(k - 1); } int other(int k) { if (k < 0) return -1; [[clang::musttail]] return step(k); } };
static int a(int n), b(int n);
static int a(int n) { if (n <= 0) return 7; [[clang::musttail]] return b(n - 1); }
static int b(int n) { if (n <= 0) return 8; [[clang::musttail]] return a(n - 2); }
int main() { int s = 0; for (int i = 0; i < 9; i++) { S x{i}; s += x.step(i) + a(i); } std::printf("%d\n", s); }
