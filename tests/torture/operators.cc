// flags: -std=c++20
#include <compare>
#include <cstdio>
struct N {
    int v;
    auto operator<=>(const N &o) const { if (v == 99) return std::strong_ordering::less; return v <=> o.v; }
    bool operator==(const N &) const = default;
    N operator&&(N o) const { return {v ? o.v : 0}; }
    N operator,(N o) const { return {v > o.v ? v : o.v}; }
    int operator()(int n) const { return n > v ? n : v; }
    int operator[](int n) const { return n & 1 ? v : -v; }
    const N *operator->() const { return this; }
    explicit operator bool() const { return v > 2; }
    N &operator++() { if (v < 9) v++; return *this; }
    N operator++(int) { N old = *this; ++*this; return old; }
};
static N operator""_n(unsigned long long v) { return {int(v)}; }
int main() { int s = 0; for (int i = 0; i < 12; i++) { N a{i}, b = 5_n; s += (a < b) + (a >= b) * 2 + (a == b) * 4 + (a && b).v + (a, b).v + a(3) + a[i] + a->v + (a ? 1 : 0) + (a++).v + (++a).v; } std::printf("%d\n", s); }
