// flags: -std=c++23
#include <cstdio>
#include <ranges>
#include <vector>
int main() { std::vector<int> v{5, 2, 8, 1, 9, 4}; int s = 0; for (int x : v | std::views::filter([](int n) { return n > 2; }) | std::views::transform([](int n) { return n & 1 ? n : n * 10; }) | std::views::take(4)) s += x; for (int x : std::views::iota(1) | std::views::take_while([](int n) { return n < 6; })) s += x; for (int x : v | std::views::reverse | std::views::drop_while([](int n) { return n > 3; })) s -= x; std::printf("%d\n", s); }
