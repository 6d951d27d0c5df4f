#include <cstdio>
struct A { int n; int up(int k) { return n > k ? n : k; } int down(int k) { return n < k ? n : k; } virtual int v(int k) { return k; } };
struct B : A { int v(int k) override { return k & 1 ? n : -n; } };
int main() { int (A::*all[])(int) = {&A::up, &A::down, &A::v}; int A::*field = &A::n; int s = 0; for (int i = 0; i < 12; i++) { A a{}; B b; a.*field = i; b.n = 5; s += (a.*all[i % 3])(6) + ((A *)&b->*all[i % 3])(i); if (all[i % 3] == &A::v) s += 100; } std::printf("%d\n", s); }
