// clean: the creator waits for a task with a false `if`.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task if (0)
        x = 1;
        x = 2;
    }
    printf("%d\n", x);
}
