// flags: -std=c2y
#include <stdio.h>
int main(void) {
    int sum = 0;
outer:
    for (int i = 0; i < 6; i++) {
    inner:
        for (int j = 0; j < 6; j++) {
            if (j == i) continue outer;
            if (i + j == 8) break outer;
            if (j == 3) break inner;
            sum += i * j;
        }
        sum += 100;
    }
    printf("%d\n", sum);
}
