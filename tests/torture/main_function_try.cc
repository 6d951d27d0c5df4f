#include <cstdio>
struct E { int n; };
static void f(int n) { if (n > 3) throw E{n}; std::printf("%d ", n); }
int main() try { for (int i = 0;; i++) f(i); } catch (const E &e) { std::printf("caught %d\n", e.n); return 3; }
