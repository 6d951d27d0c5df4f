// clean: the tasks of a final task are executed at once.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task final(1)
        {
#pragma omp task
            x = 1;
            x = 2;
        }
    }
    printf("%d\n", x);
}
