// race: nobody waits for the thread that writes.
// flags: -fopenmp
// level: -O0
// threads: 1 2 4 8
#include <stdio.h>

static int x, y[64];

int main(void) {
#pragma omp parallel
    {
#pragma omp single nowait
        x = 1; // race
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = x; // race
    }
    printf("%d\n", y[0]);
}
