// race: the tasks of a loop add to a variable.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(5)
        for (int i = 0; i < 40; i++)
            x += i; // race
    }
    printf("%d\n", x);
}
