// race: the tasks depend on different variables.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int y;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1; // race
#pragma omp task depend(out : y)
        x = 2; // race
    }
    printf("%d\n", x);
}
