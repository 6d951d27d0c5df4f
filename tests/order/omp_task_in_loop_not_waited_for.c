// race: an iteration does not wait for its task.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int a[40], b[40];

int main(void) {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
#pragma omp task
        a[i] = i; // race
        b[i] = a[i]; // race
    }
    printf("%d\n", b[7]);
}
