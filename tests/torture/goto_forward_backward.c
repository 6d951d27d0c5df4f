#include <stdio.h>
static int f(int n) {
    int sum = 0;
again:
    if (n <= 0) goto done;
    if (n % 3) goto skip;
    sum += n;
skip:
    n--;
    goto again;
done:
    return sum;
}
int main(void) { printf("%d\n", f(10) + f(0) + f(3)); }
