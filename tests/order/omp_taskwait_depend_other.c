// race: `taskwait` waits for another task.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int y;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1; // race
#pragma omp task depend(out : y)
        y = 1;
#pragma omp taskwait depend(in : y)
        x++; // race
    }
    printf("%d\n", x);
}
