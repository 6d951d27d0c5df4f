// race: a group does not wait for tasks that were created before it.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int y;

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1; // race
#pragma omp taskgroup
        {
#pragma omp task
            y = 1;
        }
        x = 2; // race
    }
    printf("%d\n", x);
}
