// clean: a region that the program gives one thread.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel num_threads(1)
    x++;
#pragma omp parallel if (0)
    x++;
    printf("%d\n", x);
}
