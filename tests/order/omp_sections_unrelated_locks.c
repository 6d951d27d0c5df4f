// race: a critical region comes between, but has nothing to do with the variable.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x, one, other;

int main(void) {
#pragma omp parallel sections
    {
#pragma omp section
        {
            x = 1; // race
#pragma omp critical
            one = 1;
        }
#pragma omp section
        {
#pragma omp critical
            other = 1;
            x = 2; // race
        }
    }
    printf("%d\n", x);
}
