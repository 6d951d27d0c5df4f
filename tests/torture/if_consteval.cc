// flags: -std=c++23
#include <cstdio>
#include <type_traits>
constexpr int f(int n) { if consteval { return n * 2; } else { if (n > 2) return n + 100; return n; } }
constexpr int g(int n) { if !consteval { return n; } return -n; }
constexpr int h(int n) { if (std::is_constant_evaluated()) return 1; return n & 1 ? 2 : 3; }
consteval int k(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int main() { constexpr int c = f(4) + g(5) + h(6); int s = 0; for (int i = 0; i < 6; i++) s += f(i) + g(i) + h(i); std::printf("%d %d %d\n", c, s, k(5)); }
