#include <cstdio>
struct A { ~A() { std::puts("~A"); } };
static void f(int n) { A a; if (n == 2) throw n; std::puts("f"); std::fflush(stdout); }
int main() { for (int i = 0; i < 4; i++) f(i); }
