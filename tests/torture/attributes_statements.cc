// flags: -std=c++23
#include <cstdio>
#include <utility>
static int f(int n) {
    if (n > 5) [[unlikely]] return 1;
    switch (n) { [[likely]] case 1: n = 8; break; case 2: n++; [[fallthrough]]; default: n += 2; }
    while (n < 9) [[likely]] n++;
    [[assume(n > 0)]];
    if (n < 0) std::unreachable();
    [[clang::noinline]] std::printf("%d ", n);
    [[clang::nomerge]] if (n & 1) std::printf("odd "); else std::printf("even ");
    [[clang::code_align(32)]] for (int i = 0; i < n; i++) n -= i & 1;
    return n;
}
int main() { int s = 0; for (int i = 0; i < 8; i++) s += f(i); std::printf("%d\n", s); }
