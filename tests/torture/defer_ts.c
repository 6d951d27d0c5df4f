// flags: -std=c2y -fdefer-ts
#include <stdio.h>
static int f(int n) {
    _Defer printf("end %d\n", n);
    for (int i = 0; i < n; i++) {
        _Defer { if (i & 1) puts("odd"); }
        if (i == 3) return i;
        if (i == 2) continue;
    }
    return n;
}
int main(void) { return f(2) + f(5) == 5 ? 0 : 1; }
