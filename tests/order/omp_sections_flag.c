// race: a section waits for another one by a variable that is not atomic.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static volatile int flag;
static int x;

int main(void) {
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            x = 1;    // race
            flag = 1; // race
        }
#pragma omp section
        for (int i = 0; i < 1000 && !flag; i++) // race
            ;
    }
    printf("%d\n", x);
}
