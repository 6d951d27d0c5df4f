#include <stdio.h>
static int f(int n) {
    int out;
    asm goto("movl %1, %0\n\taddl $5, %0\n\tcmpl $8, %0\n\tjg %l2" : "=&r"(out) : "r"(n) : "cc" : big);
    return out;
big: return out * 100;
}
int main(void) { int sum = 0; for (int i = 0; i < 7; i++) sum += f(i); printf("%d\n", sum); }
