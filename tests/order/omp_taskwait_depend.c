// clean: `taskwait` waits for the task that writes the variable.
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
        x = 1;
#pragma omp task depend(out : y)
        y = 1;
#pragma omp taskwait depend(in : x)
        x++;
    }
    printf("%d\n", x);
}
