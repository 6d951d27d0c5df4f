// race: the threads of two inner regions write the same elements.
// flags: -fopenmp
// threads: 1 2 4 8
#include <omp.h>
#include <stdio.h>

static int a[20];

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++) {
#pragma omp parallel for num_threads(2)
        for (int j = 0; j < 20; j++)
            a[j] = i; // race
    }
    printf("%d\n", a[0]);
}
