// race: blocks wait for their upper neighbours alone.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 8 };
static int a[N + 1][N + 1];

int main(void) {
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
#pragma omp task depend(in : a[i - 1][j]) depend(out : a[i][j])
            a[i][j] = a[i - 1][j] + a[i][j - 1] + 1; // race
        }
    printf("%d\n", a[N][N]);
}
