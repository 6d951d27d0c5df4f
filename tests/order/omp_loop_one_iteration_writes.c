// race: one iteration writes what all of them read.
// flags: -fopenmp
// level: -O0
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], x;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        if (i == 90)
            x = 1; // race
        a[i] = x; // race
    }
    printf("%ld\n", (long)(a[7]));
}
