#include <stdio.h>
static int find(int limit) {
    for (int a = 1; a < limit; a++)
        for (int b = a; b < limit; b++) {
            int c = 0;
            while (1) {
                if (++c > limit) break;
                if (a * a + b * b == c * c) return a * 100 + b;
                if (c > 5 * b) goto next;
            }
        next:;
        }
    return -1;
}
int main(void) {
    for (int i = 1; i < 9; i++) printf("%d ", find(i));
    puts("");
}
