// clean: the loop ends with a barrier.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int a[200], x;

int main(void) {
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 200; i++)
            a[i] = i;
#pragma omp single
        x = a[9];
    }
    printf("%d\n", x);
}
