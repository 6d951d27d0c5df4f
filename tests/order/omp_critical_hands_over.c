// clean: who reads in a critical region that the data is there, reads it.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int data, ready;

int main(void) {
#pragma omp parallel sections
    {
#pragma omp section
        {
            data = 1;
#pragma omp critical
            ready = 1;
        }
#pragma omp section
        {
            int seen;
#pragma omp critical
            seen = ready;
            if (seen)
                data = 2;
        }
    }
    printf("%d\n", data);
}
