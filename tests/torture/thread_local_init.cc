#include <cstdio>
#include <thread>
static int made, gone;
struct A { int n = ++made; ~A() { gone++; } };
static thread_local A a;
static thread_local int plain = made * 10;
static int use(int n) { thread_local A own; if (n & 1) return own.n; return a.n + plain; }
int main() { int s = 0; for (int i = 0; i < 3; i++) std::thread([&, i] { for (int j = 0; j <= i; j++) s += use(j); }).join(); std::printf("%d %d %d\n", s, made, gone); }
