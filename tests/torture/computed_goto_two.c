#include <stdio.h>
static int f(int n) {
    void *one = n & 1 ? &&x : &&y, *two = n & 2 ? &&y : &&z;
    int sum = 0;
    goto *one;
x:  sum++; goto *two;
y:  sum += 10; if (sum < 15) goto *two; goto z;
z:  return sum + n;
}
int main(void) { for (int i = 0; i < 4; i++) printf("%d ", f(i)); puts(""); }
