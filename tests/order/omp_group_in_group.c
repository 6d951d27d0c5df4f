// clean: each group waits for the tasks in it.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int y;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp taskgroup
            {
#pragma omp task
                x = 1;
            }
            x = 2;
#pragma omp task
            y = 1;
        }
        x = y;
    }
    printf("%d\n", x);
}
