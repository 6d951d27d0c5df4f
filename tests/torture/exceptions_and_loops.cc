#include <cstdio>
static int f(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        try {
            if (i == 2) continue;
            if (i == 7) break;
            if (i % 3 == 1) throw i;
            if (i == 9) return -1;
            if (i == 6) goto out;
            s += i;
        } catch (int x) { if (x == 4) continue; s += 100; if (x == 10) break; }
    out: s++;
    }
    do { try { if (s++ < 10) throw 'x'; } catch (char) { s += 5; continue; } } while (s < 20);
    return s;
}
int main() { std::printf("%d %d %d\n", f(3), f(6), f(20)); }
