#include <cstdio>
struct A { int *p; ~A() { ++*p; } };
static int f(int n) { int gone = 0; again: { A a{&gone}; if (n-- > 3) goto again; if (n == 1) goto out; A b{&gone}; } gone += 100; out: return gone; }
static int g(int n) { static void *const t[] = {&&x, &&y, &&z}; int s = 0; for (int i = 0; i < n; i++) { goto *t[i % 3]; x: s++; continue; y: s += 10; continue; z: s += 100; } return s; }
int main() { std::printf("%d %d %d %d %d\n", f(0), f(2), f(6), g(4), g(0)); }
