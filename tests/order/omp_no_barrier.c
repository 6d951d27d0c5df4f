// race: nothing is between writing and reading.
// flags: -fopenmp
#include <omp.h>
#include <stdio.h>

static volatile int values[64];

int main(void) {
    long sum = 0;
#pragma omp parallel num_threads(4)
    {
        int own = omp_get_thread_num(), all = omp_get_num_threads();
        for (int turn = 0; turn < 10; turn++) {
            values[own] = turn; // race
            int next = values[(own + 1) % all];
#pragma omp atomic
            sum += next;
        }
    }
    printf("%d\n", sum >= 0);
}
