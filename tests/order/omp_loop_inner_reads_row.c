// race: the inner loop reads the row of the previous iteration.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 20 };
static int a[N][N];
int main(void) {
#pragma omp parallel for
    for (int i = 1; i < N; i++) {
        for (int j = 0; j < N; j++)
            a[i][j] = a[i - 1][j] + 1; // race
    }
    printf("%ld\n", (long)(a[1][1]));
}
