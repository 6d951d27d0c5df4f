// clean: each region comes behind the one before.
// flags: -fopenmp
#include <omp.h>
#include <stdio.h>

static int values[16];

int main(void) {
    long sum = 0;
    for (int turn = 0; turn < 30; turn++) {
#pragma omp parallel num_threads(turn % 5 + 1)
        values[omp_get_thread_num()] += turn;
        sum += values[turn % 5];
    }
    printf("%ld\n", sum);
}
