#include <cstdio>
struct [[clang::trivial_abi]] T { int n; ~T() { if (n & 1) std::printf("~%d ", n); } };
[[clang::no_destroy]] static T kept{3};
[[clang::always_destroy]] static T gone{5};
[[gnu::noinline, gnu::cold]] static int take(T t) { return t.n > 2 ? t.n : 0; }
[[clang::optnone]] static int slow(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
[[gnu::pure]] static int clean(int n) { return n & 1 ? n : 2; }
struct V { [[gnu::always_inline]] V(int k) : n(k) {} [[gnu::flatten]] int run() const { return slow(n) + clean(n); } int n; };
int main() { int s = kept.n + gone.n; for (int i = 0; i < 5; i++) s += take(T{i}) + V{i}.run(); std::printf("%d\n", s); }
