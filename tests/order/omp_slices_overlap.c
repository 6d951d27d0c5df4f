// race: the slices that threads choose by their numbers overlap by one element.
// flags: -fopenmp
// threads: 2 4 8
#include <omp.h>
#include <stdio.h>

static int a[65];

int main(void) {
#pragma omp parallel
    {
        int own = omp_get_thread_num();
        a[own] = own;     // race
        a[own + 1] = own; // race
    }
    printf("%d\n", a[0]);
}
