#include <cstdio>
static int n;
static int f(int a, int b = [] { return n++ > 2 ? 5 : 6; }()) { return a > b ? a : b; }
struct S { int v = [] { int s = 0; for (int i = 0; i < 3; i++) s += i; return s; }(); };
int main() { int s = 0; for (int i = 0; i < 9; i++) s += f(i) + f(i, 3) + S{}.v; std::printf("%d\n", s); }
