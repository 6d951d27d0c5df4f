// clean: critical sections, `atomic` and locks.
// flags: -fopenmp
// threads: 2 4 8
#include <omp.h>
#include <stdio.h>

int main(void) {
    long plain = 0, named = 0, updated = 0, locked = 0, nested = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel
    for (int i = 0; i < 50; i++) {
#pragma omp critical
        plain++;
#pragma omp critical(name)
        named++;
#pragma omp atomic
        updated++;
        omp_set_lock(&lock);
        locked++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        nested++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    printf("%d\n", plain + named + updated + locked + nested > 0);
}
