// race: iterations count in the same elements.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int count[4];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        count[i % 4]++; // race
    }
    printf("%ld\n", (long)(count[1]));
}
