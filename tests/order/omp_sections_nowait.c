// race: nobody waits for the section.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x, y;

int main(void) {
#pragma omp parallel
    {
#pragma omp sections nowait
        {
#pragma omp section
            x = 1; // race
#pragma omp section
            y = 2;
        }
#pragma omp single
        y = x; // race
    }
    printf("%d\n", y);
}
