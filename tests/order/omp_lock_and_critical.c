// race: a lock and a critical region do not exclude each other.
// flags: -fopenmp
// threads: 1 2 4 8
#include <omp.h>
#include <stdio.h>

static int x;

int main(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel sections
    {
#pragma omp section
        {
            omp_set_lock(&lock);
            x++; // race
            omp_unset_lock(&lock);
        }
#pragma omp section
        {
#pragma omp critical
            x++; // race
        }
    }
    omp_destroy_lock(&lock);
    printf("%d\n", x);
}
