// flags: -std=gnu23
#include <stdio.h>
static int f(int n) {
    if (n > 2) goto end;
    if (n > 1) goto decl;
    n += 5;
decl:
    int m = n * 2;
    n += m;
    { if (n > 3) goto inner; n++; inner: }
    return n;
end:
    return -n;
}
int main() { int s = 0; for (int i = -9; i < 5; i++) s += f(i); printf("%d\n", s); }
