#include <cstdio>
static int alive;
struct Part { Part(int n) { if (n == 3) throw n; alive++; } ~Part() { alive--; } };
struct Base { Part a; Base(int n) : a(n) {} virtual ~Base() {} };
struct Whole : Base { Part b, c[2]; Whole(int n) : Base(n), b(n + 1), c{n + 2, n + 3} { if (n == 9) throw "body"; } Whole() : Whole(4) { if (alive) throw 5.0; } };
int main() {
    int s = 0;
    for (int i = 0; i < 11; i++) {
        try { Whole w(i); s += alive; } catch (int n) { s += 100; } catch (const char *) { s += 1000; }
        try { auto *w = new Whole(i); s++; delete w; } catch (...) { s += 10; }
        if (i % 5 == 0) try { Whole w; } catch (double) { s += 7; }
    }
    std::printf("%d %d\n", s, alive);
}
