#include <stdio.h>
static int f(int n) {
    static const int offsets[] = {&&a - &&a, &&b - &&a, &&c - &&a};
    int sum = 0;
    for (int i = 0; i < n; i++) {
        goto *(&&a + offsets[i % 3]);
    a: sum += 1; continue;
    b: sum += 10; if (sum > 30) break;
    c: sum += 100;
    }
    return sum;
}
int main(void) { printf("%d %d %d\n", f(1), f(3), f(8)); }
