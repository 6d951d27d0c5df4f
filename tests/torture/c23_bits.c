// flags: -std=gnu23
#include <stdio.h>
#include <stdlib.h>
enum small : unsigned char { LOW = 1, HIGH = 200 };
constexpr int limit = 5;
[[noreturn]] static void leave(int);
static int f(_BitInt(37) n, enum small kind, typeof(nullptr) p) {
    auto s = 0;
    if (n > limit) s++;
    switch (kind) { case LOW: s += 2; [[fallthrough]]; case HIGH: s += 4; [[fallthrough]]; default: s += 8; }
    if (p == nullptr) s += 0b10000;
    static_assert(limit == 5);
    return s + true;
}
[[gnu::cold]] static void leave(int n) { printf("%d\n", n); exit(0); }
int main() { int s = 0; for (int i = 0; i < 9; i++) s += f(i, i & 1 ? LOW : HIGH, nullptr); leave(s); }
