#include <stdio.h>
static int calls;
static int side(int n) { calls++; return n; }
static int f(int a, int b, int c) {
    int x = a ? b ? 1 : 2 : c ? 3 : 4;
    x += (a && b) + (b || c) + !(a && (b || c));
    x += side(a) ?: side(7);
    if (a && b && c) x += 10;
    if (a || b || c) x += 20;
    if ((a && b) || (side(b) && !c)) x += 40;
    if (!a == !b) x += 80;
    x += (side(a), side(b), c) ? side(1) : side(2);
    a && (x += 3);
    b || (x += 5);
    return x;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += f(i & 1, i & 2, i & 4);
    printf("%d %d\n", sum, calls);
}
