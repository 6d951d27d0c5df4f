// clean: tasks run while threads wait at a barrier, which ends behind them.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>
#include <unistd.h>

static int values[40];

int main(void) {
    long sum = 0;
#pragma omp parallel
    {
#pragma omp single nowait
        for (int i = 0; i < 40; i++) {
#pragma omp task
            {
                usleep(20);
                values[i] = i;
            }
        }
#pragma omp barrier
        long own = 0;
        for (int i = 0; i < 40; i++)
            own += values[i];
#pragma omp atomic
        sum += own;
    }
    printf("%d\n", sum > 0);
}
