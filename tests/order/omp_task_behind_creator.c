// clean: a task begins behind what its creator did before.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        x = 1;
#pragma omp task
        x = 2;
    }
    printf("%d\n", x);
}
