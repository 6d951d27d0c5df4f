// race: critical regions with different names do not exclude each other.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel sections
    {
#pragma omp section
        {
#pragma omp critical(one)
            x++; // race
        }
#pragma omp section
        {
#pragma omp critical(other)
            x++; // race
        }
    }
    printf("%d\n", x);
}
