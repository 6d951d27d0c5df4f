// clean: readers wait for the writer, and the next writer for the readers.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int y[4];

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : x)
            y[i] = x;
        }
#pragma omp task depend(out : x)
        x = 2;
    }
    printf("%d\n", x);
}
