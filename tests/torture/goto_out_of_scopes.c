#include <stdio.h>
#include <string.h>
static int f(int n) {
    int sum = 0;
again:;
    char text[n + 1];
    memset(text, 'x', n);
    text[n] = 0;
    sum += (int)strlen(text);
    if (n > 0) { int more[n]; more[0] = --n; sum += more[0]; if (sum < 40) goto again; goto out; }
out:
    return sum;
}
int main(void) { printf("%d %d %d\n", f(0), f(3), f(9)); }
