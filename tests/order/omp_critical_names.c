// race: critical sections of two names do not exclude each other.
// flags: -fopenmp
#include <omp.h>
#include <stdio.h>

static volatile long total;

int main(void) {
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 50; i++) {
        if (omp_get_thread_num() % 2) {
#pragma omp critical(one)
            total++; // race
        } else {
#pragma omp critical(other)
            total++;
        }
    }
    printf("%d\n", total > 0);
}
