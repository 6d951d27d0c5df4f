// clean: a barrier between writing and reading.
// flags: -fopenmp
// threads: 2 5 8
#include <omp.h>
#include <stdio.h>

static int values[64];

int main(void) {
    long sum = 0;
#pragma omp parallel
    {
        int own = omp_get_thread_num(), all = omp_get_num_threads();
        for (int turn = 0; turn < 10; turn++) {
            values[own] = turn;
#pragma omp barrier
            int next = values[(own + 1) % all];
#pragma omp atomic
            sum += next;
#pragma omp barrier
        }
    }
    printf("%d\n", sum > 0);
}
