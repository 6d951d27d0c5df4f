#include <stdio.h>
static int cleaned;
static void clean(int *n) { if (*n & 1) cleaned += *n; else cleaned += 100; }
#define CLEAN __attribute__((cleanup(clean)))
static int f(int n) {
    CLEAN int a = n;
    for (int i = 0; i < n; i++) {
        CLEAN int b = i;
        if (i == 2) continue;
        if (i == 4) break;
        { CLEAN int c = 7; if (i == 3 && n == 4) return a; if (n == 9) goto out; }
    }
    int d = ({ CLEAN int e = 3; e + n; });
    return d;
out:
    return -1;
}
int main(void) { int s = f(0) + f(2) + f(4) + f(6) + f(9); printf("%d %d\n", s, cleaned); }
