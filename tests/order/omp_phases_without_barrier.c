// race: a phase begins before the last one has ended.
// flags: -fopenmp
// threads: 2 4 8
#include <stdio.h>

static int a[200], b[200];

int main(void) {
#pragma omp parallel
    for (int phase = 0; phase < 4; phase++) {
#pragma omp for nowait
        for (int i = 1; i < 199; i++)
            b[i] = a[i - 1] + a[i + 1]; // race
#pragma omp for
        for (int i = 1; i < 199; i++)
            a[i] = b[i]; // race
    }
    printf("%d\n", a[7]);
}
