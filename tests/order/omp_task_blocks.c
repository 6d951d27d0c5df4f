// clean: each task gets a block, which it frees.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>
#include <stdlib.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
            int *block = malloc(64);
            *block = i;
#pragma omp task firstprivate(block)
            {
                ++*block;
                free(block);
            }
        }
    }
    printf("%d\n", x);
}
