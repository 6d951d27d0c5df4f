// race: the creator does not wait for its task.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1; // race
        x = 2; // race
    }
    printf("%d\n", x);
}
