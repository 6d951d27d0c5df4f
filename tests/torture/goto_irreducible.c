#include <stdio.h>
static int f(int n) {
    int sum = 0;
    if (n & 1) goto a; else goto b;
a:  sum += 1; if (n-- > 0) goto b; goto c;
b:  sum += 10; if (n-- > 2) goto a; if (n & 1) goto c; if (n > 0) goto b;
c:  if (sum < 25 && n > -3) goto a;
    return sum;
}
int main(void) { for (int i = 0; i < 8; i++) printf("%d ", f(i)); puts(""); }
