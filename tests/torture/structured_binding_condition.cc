// flags: -std=c++2c
#include <cstdio>
struct Result { int value; bool ok; explicit operator bool() const { return ok; } };
static Result parse(int n) { return {n * 3, n % 3 != 0}; }
int main() {
    int s = 0;
    for (int i = 0; i < 9; i++) { if (auto [value, ok] = parse(i)) s += value; else s -= value + ok; }
    int i = 1;
    while (auto [value, ok] = parse(i)) { s += value; i++; }
    std::printf("%d\n", s);
}
