// race: two sections write a variable.
// flags: -fopenmp
// threads: 1 2 4 8
// level: -O0
#include <stdio.h>

static int x;

int main(void) {
#pragma omp parallel sections
    {
#pragma omp section
        x = 1; // race
#pragma omp section
        x = 2; // race
    }
    printf("%d\n", x);
}
