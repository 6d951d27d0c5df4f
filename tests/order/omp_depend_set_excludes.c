// clean: the tasks of a set exclude each other.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(mutexinoutset : x)
            x++;
        }
    }
    printf("%d\n", x);
}
