#include <stdio.h>
int main(void) {
    int sum = 0, i = 0;
    for (;;) { if (i++ > 5) break; sum += i; }
    for (; i < 10;) i += 2;
    for (int j = 0, k = 9; j < k; j++, k--) sum += j * k;
    for (int j = 3; j--;) sum += j;
    for (int j = 0; j < 0; j++) sum += 1000;
    for (struct { int a, b; } s = {0, 4}; s.a < s.b; s.a++) sum += s.b;
    for (int j = 0; j < 3; j++) ;
    printf("%d %d\n", sum, i);
}
