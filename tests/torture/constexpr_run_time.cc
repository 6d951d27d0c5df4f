// flags: -std=c++23
#include <array>
#include <cstdio>
constexpr int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
constexpr std::array<int, 20> sieve() { std::array<int, 20> a{}; for (int i = 2; i < 20; i++) if (!a[i]) for (int j = i * 2; j < 20; j += i) a[j] = 1; return a; }
constexpr int checked(int n) { if (n < 0) throw n; return n * 2; }
int main() { constexpr auto table = sieve(); auto again = sieve(); int s = gcd(12, 18); for (int i = 0; i < 20; i++) { s += table[i] == again[i] ? 1 : 100; s += gcd(i, 12); try { s += checked(i - 3); } catch (int n) { s += -n * 10; } } static_assert(gcd(8, 12) == 4); std::printf("%d\n", s); }
