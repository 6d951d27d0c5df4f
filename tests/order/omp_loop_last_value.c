// race: each iteration writes the variable.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int last;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        last = i; // race
    }
    printf("%ld\n", (long)(last));
}
