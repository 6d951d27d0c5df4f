// clean: sections write variables of their own, which are read behind them.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x, y;

int main(void) {
#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            x = 1;
#pragma omp section
            y = 2;
        }
#pragma omp single
        x += y;
    }
    printf("%d\n", x);
}
