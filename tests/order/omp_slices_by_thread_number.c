// clean: each thread adds to an element that it chooses by its number.
// flags: -fopenmp
// threads: 1 2 4 8
#include <omp.h>
#include <stdio.h>

static long part[64];

int main(void) {
#pragma omp parallel
    {
        int own = omp_get_thread_num();
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 200; i++)
            part[own] += i;
    }
    printf("%ld\n", part[0] >= 0);
}
