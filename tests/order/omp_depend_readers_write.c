// race: two tasks that say they read the variable write it.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(in : x)
        x = 1; // race
#pragma omp task depend(in : x)
        x = 2; // race
    }
    printf("%d\n", x);
}
