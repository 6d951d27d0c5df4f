#include <stdio.h>
static int f(int n) {
    asm goto("testl %0, %0\n\tjz %l[zero]\n\tjs %l[negative]" : : "r"(n) : "cc" : zero, negative);
    return n * 2;
zero: return 100;
negative: return -n;
}
int main(void) { int sum = 0; for (int i = -3; i < 4; i++) sum += f(i); printf("%d\n", sum); }
