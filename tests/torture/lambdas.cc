// flags: -std=c++23
#include <cstdio>
template <class F> static int twice(F f, int n) { return f(f(n)); }
int main() {
    int s = 0, calls = 0;
    auto add = [&calls, k = 3](int n) { calls++; if (n > 5) return n; return n + k; };
    auto generic = [](auto a, auto b) { return a < b ? a : b; };
    auto fact = [](this auto self, int n) -> int { return n < 2 ? 1 : n * self(n - 1); };
    auto count = [n = 0]() mutable { return n++ & 1 ? n : 0; };
    int (*plain)(int) = [](int n) { for (int i = 0; i < 3; i++) n += i; return n; };
    auto fixed = [](int n) static { return n & 1 ? 1 : 2; };
    for (int i = 0; i < 8; i++) s += twice(add, i) + generic(i, 4) + int(generic(1.5, i * 1.0)) + count() + plain(i) + fixed(i);
    s += [&] { if (s & 1) return 1000; return 2000; }();
    std::printf("%d %d %d\n", s, calls, fact(5));
}
