// clean: iterations of both loops write elements of their own.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 20 };
static int a[N][N];
int main(void) {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
        a[i][j] = i * j;
    }
    printf("%ld\n", (long)(a[1][1]));
}
