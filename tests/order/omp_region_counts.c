// race: all threads add to a variable.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel
    x++; // race
    printf("%d\n", x);
}
