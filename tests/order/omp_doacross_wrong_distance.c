// race: an iteration waits for the one before the previous one.
// flags: -fopenmp
// threads: 2 4 8
#include <stdio.h>

static int a[100];

int main(void) {
#pragma omp parallel for ordered(1)
    for (int i = 2; i < 100; i++) {
#pragma omp ordered depend(sink : i - 2)
        a[i] = a[i - 1] + 1; // race
#pragma omp ordered depend(source)
    }
    printf("%d\n", a[7]);
}
