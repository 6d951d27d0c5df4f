// clean: the last section's value is written behind the sections.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
    {
#pragma omp sections lastprivate(x)
        {
#pragma omp section
            x = 1;
#pragma omp section
            x = 2;
        }
    }
    printf("%d\n", x);
}
