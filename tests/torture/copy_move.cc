#include <cstdio>
#include <utility>
static int copies, moves;
struct A { int *p; A(int n) : p(new int(n)) {} A(const A &o) : p(o.p ? new int(*o.p) : nullptr) { copies++; } A(A &&o) noexcept : p(std::exchange(o.p, nullptr)) { moves++; } A &operator=(A o) { if (p != o.p) std::swap(p, o.p); return *this; } ~A() { delete p; } };
static A pick(int n) { A a(1), b(2); if (n & 1) return a; if (n & 2) return b; return A(n); }
struct Two { A x, y; };
int main() { int s = 0; for (int i = 0; i < 6; i++) { A a = pick(i), b = a; Two t{a, std::move(b)}, u = t; u = i & 1 ? t : std::move(t); s += *u.x.p + (b.p ? 1 : 0); } std::printf("%d %d %d\n", s, copies, moves > 0); }
