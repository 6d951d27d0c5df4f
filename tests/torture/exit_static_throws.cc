#include <cstdio>
#include <cstdlib>
static void f(int n) { try { if (n & 1) throw n; std::puts("even"); } catch (int) { std::puts("odd"); } }
struct S { ~S() { for (int i = 0; i < 3; i++) f(i); } };
int main() { static S s; std::atexit([] { f(1); }); f(2); std::exit(2); }
