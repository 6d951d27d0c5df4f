// race: the creator reads its variable without waiting for the task.
// flags: -fopenmp
// threads: 1 2 4 8
// level: -O0
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        int own = 0;
#pragma omp task shared(own)
        own = 1; // race
        x = own; // race
#pragma omp taskwait
    }
    printf("%d\n", x);
}
