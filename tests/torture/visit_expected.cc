// flags: -std=c++23
#include <cstdio>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <variant>
template <class... T> struct overload : T... { using T::operator()...; };
static std::expected<int, std::string> half(int n) { if (n & 1) return std::unexpected("odd"); return n / 2; }
static std::optional<int> root(int n) { for (int i = 0; i * i <= n; i++) if (i * i == n) return i; return std::nullopt; }
int main() { int s = 0; std::variant<int, double, std::string> v; for (int i = 0; i < 9; i++) { switch (i % 3) { case 0: v = i; break; case 1: v = i * 1.5; break; default: v = std::string(i, 'x'); } s += std::visit(overload{[](int n) { return n > 2 ? n : 1; }, [](double d) { return int(d); }, [](const std::string &t) { return int(t.size()) * 100; }}, v); if (auto h = half(i)) s += *h; else s += int(h.error().size()); s += root(i).value_or(-1); std::function<int(int)> f = i & 1 ? std::function<int(int)>([i](int n) { return n > i ? n : i; }) : [](int n) { return -n; }; s += f(4); } std::printf("%d\n", s); }
