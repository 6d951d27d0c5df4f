// race: the index of the inner loop is one variable.
// flags: -fopenmp
// threads: 1 2 4 8
// level: -O0
#include <stdio.h>

enum { N = 40 };
static int a[N][N], j;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        for (j = 0; j < N; j++) // race
            a[i][j]++;
    }
    printf("%ld\n", (long)(a[1][1]));
}
