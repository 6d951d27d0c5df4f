// race: nobody waits for the tasks of the loop.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int a[40];

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(5) nogroup
        for (int i = 0; i < 40; i++)
            a[i] = i; // race
        x = a[39]; // race
    }
    printf("%d\n", x);
}
