// flags: -std=c++14
#include <cstdio>
static int f(int n) throw() { return n > 2 ? n : 2; }
static int g(int n) noexcept(sizeof(int) == 8) { if (n == 3) throw n; return noexcept(f(n)) + noexcept(g(n)) * 10; }
int main() { int s = 0; for (int i = 0; i < 5; i++) try { s += f(i) + g(i); } catch (int x) { s += 100 * x; } std::printf("%d\n", s); }
