#include <cstdio>
static int get(int n) { return n % 4; }
int main() {
    int s = 0;
    for (int i = 0; i < 9; i++) {
        if (int x = get(i)) s += x; else s += 10;
        if (int x = get(i); x > 2) s += 100; else if (int y = get(i + 1); y == x + 1) s += y;
        switch (int x = get(i); x) { case 0: s++; break; case 3: s += x; }
        switch (int x = get(i)) { case 1: s += x; default:; }
        while (int x = get(s)) s += x;
        for (int k = 0; int x = get(k + 1); k++) s += x;
        if (using T = int; sizeof(T) == 4) s++;
    }
    std::printf("%d\n", s);
}
