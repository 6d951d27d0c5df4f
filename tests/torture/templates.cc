// flags: -std=c++20
#include <concepts>
#include <cstdio>
template <class... T> bool any(T... t) { return (... || (t > 2)); }
template <class... T> int sum(T... t) { return (0 + ... + (t & 1 ? t : 1)); }
template <class... T> void each(T &&...t) { (std::printf("%d ", int(t)), ...); }
template <class D> struct Crtp { int run(int n) { return n > 1 ? static_cast<D *>(this)->step(n) : 0; } };
struct X : Crtp<X> { int step(int n) { return n * run(n - 1) + 1; } };
template <std::integral T> int pick(T t) { return t ? 1 : 2; }
template <class T> requires(!std::integral<T>) int pick(T t) { return t > 1 ? 3 : 4; }
template <int N> struct Loop { static int run(int n) { return n > N ? N : Loop<N - 1>::run(n) + 1; } };
template <> struct Loop<0> { static int run(int) { return 0; } };
int main() { int s = 0; for (int i = 0; i < 5; i++) s += any(i, 1, 2) + sum(i, i + 1, 4) + X{}.run(i) + pick(i) + pick(i * 1.0) + Loop<3>::run(i); each(1, 'a', 2.5); std::printf("%d\n", s); }
