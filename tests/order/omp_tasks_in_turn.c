// clean: the second task is created when the first one has ended.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1;
#pragma omp taskwait
#pragma omp task
        x = 2;
    }
    printf("%d\n", x);
}
