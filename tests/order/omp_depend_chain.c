// clean: each task waits for the one before.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : x)
            x++;
        }
    }
    printf("%d\n", x);
}
