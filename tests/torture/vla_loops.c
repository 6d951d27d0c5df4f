#include <stdio.h>
static int f(int n) {
    int sum = 0;
    for (int i = 1; i < n; i++) {
        int a[i][i];
        for (int x = 0; x < i; x++) for (int y = 0; y < i; y++) a[x][y] = x ^ y;
        if (a[i - 1][0] == 3) continue;
        sum += a[i - 1][i / 2] + (int)sizeof a;
        if (sum > 500) break;
    }
    return sum;
}
int main(void) { printf("%d %d\n", f(4), f(12)); }
