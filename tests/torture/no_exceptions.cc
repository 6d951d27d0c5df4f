// flags: -fno-exceptions -fno-rtti
#include <cstdio>
struct G { int n; ~G() { if (n & 1) std::printf("%d ", n); } };
static int f(int n) { G a{n}; if (n > 3) return n; G b{n + 1}; for (int i = 0; i < n; i++) { G c{i}; if (i == 2) break; } return 0; }
int main() { int s = 0; for (int i = 0; i < 6; i++) s += f(i); std::printf("%d\n", s); }
