// flags: -fno-asynchronous-unwind-tables -fomit-frame-pointer
#include <cstdio>
static int f(int n) { if (n == 3) throw n; return n > 3 ? n : 1; }
int main() { int s = 0; for (int i = 0; i < 6; i++) try { s += f(i); } catch (int) { s += 100; } std::printf("%d\n", s); }
