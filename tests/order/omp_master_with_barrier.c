// clean: a barrier follows the master block.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x, y[64];

int main(void) {
#pragma omp parallel
    {
#pragma omp master
        x = 1;
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = x;
    }
    printf("%d\n", y[0]);
}
