#include <stdio.h>
int main(void) {
    int n = 20, sum = 0;
    while (n --> 0) {
        if (n % 3 == 0) continue;
        if (n == 4) break;
        sum += n;
    }
    while (n) n--;
    while ((n = sum & 7, n > 6)) sum++;
    printf("%d %d\n", sum, n);
}
