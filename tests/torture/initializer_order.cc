#include <cstdio>
#include <initializer_list>
static int n;
static int next() { return ++n > 3 ? n : -n; }
struct A { int a = next(), b; A() : b(a > 0 ? next() : 0) {} A(std::initializer_list<int> l) : b(0) { for (int x : l) if (x & 1) b += x; } };
struct Agg { int x = next(), y = x > 2 ? next() : 1; };
int main() { int s = 0; for (int i = 0; i < 3; i++) { A a, b{1, 2, 3}; Agg g, h{.x = 4}; s += a.a + a.b + b.b + g.x + g.y + h.y; } std::printf("%d\n", s); }
