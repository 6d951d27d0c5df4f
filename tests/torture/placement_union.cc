// flags: -std=c++20
#include <cstdio>
#include <memory>
#include <new>
static int log;
struct A { int n; A(int k) : n(k) { log++; } ~A() { log += n > 2 ? 100 : 10; } };
union U { A a; int i; U() : i(0) {} ~U() {} };
int main() { U u; for (int i = 0; i < 4; i++) { std::construct_at(&u.a, i); std::destroy_at(&u.a); A *p = new (&u) A(i); if (i & 1) p->~A(); } std::printf("%d\n", log); }
