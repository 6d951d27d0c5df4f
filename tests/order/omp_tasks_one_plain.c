// race: one task adds without the critical region.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task
            {
#pragma omp critical
                x++; // race
            }
        }
#pragma omp task
        x++; // race
    }
    printf("%d\n", x);
}
