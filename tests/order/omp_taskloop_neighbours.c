// race: a task reads what the next one writes.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int a[41];

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(5)
        for (int i = 0; i < 40; i++)
            a[i] = a[i + 1]; // race
    }
    printf("%d\n", x);
}
