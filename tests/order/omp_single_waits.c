// clean: a single block ends with a barrier.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x, y[64];

int main(void) {
#pragma omp parallel
    {
#pragma omp single
        x = 1;
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = x;
    }
    printf("%d\n", y[0]);
}
