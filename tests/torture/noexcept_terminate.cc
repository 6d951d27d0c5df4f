#include <cstdio>
#include <cstdlib>
#include <exception>
static void ended() { std::puts("terminate"); std::fflush(stdout); std::_Exit(3); }
static void f(int n) { if (n == 3) throw n; }
static void quiet(int n) noexcept { f(n); std::printf("%d\n", n); }
int main() { std::set_terminate(ended); for (int i = 0; i < 5; i++) quiet(i); }
