// clean: one thread executes all of the inner loop, which reads the previous element.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 20 };
static int a[N][N];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        for (int j = 1; j < N; j++)
            a[i][j] = a[i][j - 1] + 1;
    }
    printf("%ld\n", (long)(a[1][1]));
}
