// race: two single blocks may be executed by two threads at once.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
    {
#pragma omp single nowait
        x = 1; // race
#pragma omp single nowait
        x = 2; // race
    }
    printf("%d\n", x);
}
