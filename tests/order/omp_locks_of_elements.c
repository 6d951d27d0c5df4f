// clean: each element has a lock.
// flags: -fopenmp
// threads: 1 2 4 8
#include <omp.h>
#include <stdio.h>

static int a[4];
static omp_lock_t locks[4];

int main(void) {
    for (int i = 0; i < 4; i++)
        omp_init_lock(&locks[i]);
#pragma omp parallel for
    for (int i = 0; i < 200; i++) {
        omp_set_lock(&locks[i % 4]);
        a[i % 4]++;
        omp_unset_lock(&locks[i % 4]);
    }
    printf("%d\n", a[0]);
}
