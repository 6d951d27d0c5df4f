// race: the creator does not wait for a task with a true `if`.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task if (1)
        x = 1; // race
        x = 2; // race
    }
    printf("%d\n", x);
}
