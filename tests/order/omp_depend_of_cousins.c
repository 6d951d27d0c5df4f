// race: dependences order siblings only.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task depend(inout : x)
            x = 1; // race
        }
#pragma omp task
        {
#pragma omp task depend(inout : x)
            x = 2; // race
        }
    }
    printf("%d\n", x);
}
