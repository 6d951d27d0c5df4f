// race: a sum without a reduction.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static long sum;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        sum += i; // race
    }
    printf("%ld\n", (long)(sum));
}
