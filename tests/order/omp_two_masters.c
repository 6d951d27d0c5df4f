// clean: one thread executes all master blocks.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
    {
#pragma omp master
        x = 1;
#pragma omp master
        x++;
    }
    printf("%d\n", x);
}
