// race: two tasks get one block.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>
#include <stdlib.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        int *block = calloc(16, sizeof(int));
#pragma omp task firstprivate(block)
        *block = 1; // race
#pragma omp task firstprivate(block)
        *block = 2; // race
#pragma omp taskwait
        free(block);
    }
    printf("%d\n", x);
}
