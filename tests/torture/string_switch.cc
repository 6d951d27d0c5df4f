// flags: -std=c++20
#include <cstdio>
#include <string_view>
using namespace std::literals;
static constexpr unsigned hash(std::string_view s) { unsigned h = 5381; for (char c : s) h = h * 33 + c; return h; }
static int f(std::string_view s) { switch (hash(s)) { case hash("one"): return 1; case hash("two"): return 2; case hash("three"): if (s == "three"sv) return 3; } return s.empty() ? -1 : 0; }
int main() { int s = 0; for (auto t : {"one", "two", "three", "four", ""}) s = s * 10 + f(t); std::printf("%d\n", s); }
