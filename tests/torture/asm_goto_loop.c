#include <stdio.h>
int main(void) {
    int n = 5, sum = 0;
again:
    sum += n;
    asm goto("decl %0\n\tjnz %l[more]" : "+r"(n) : : "cc" : more);
    printf("%d\n", sum);
    return 0;
more:
    if (sum > 100) return 1;
    goto again;
}
