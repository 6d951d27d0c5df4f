// clean: the tasks of a loop write elements of their own, and are waited for.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int a[40];

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(5)
        for (int i = 0; i < 40; i++)
            a[i] = i;
        x = a[39];
    }
    printf("%d\n", x);
}
