#include <cstdio>
static int depth, most;
struct Scope { Scope() { if (++depth > most) most = depth; } ~Scope() { depth--; } };
static int f(int n) {
    Scope a;
    if (n == 0) return 0;
    for (int i = 0; i < 3; i++) { Scope b; if (i == n) break; if (i == 1) continue; Scope c; if (n == 4) return i; if (n == 5) goto out; }
    { Scope d; if (n & 1) return f(n - 1); }
    switch (n) { case 2: { Scope e; break; } default: Scope g; return f(n - 2) + 1; }
out:
    return depth;
}
int main() { int s = 0; for (int i = 0; i < 9; i++) s += f(i); std::printf("%d %d %d\n", s, depth, most); }
