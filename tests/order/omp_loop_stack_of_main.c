// race: iterations add to a variable of the function that begins the region.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
int main(void) {
    long sum = 0;
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        sum += i; // race
    }
    printf("%ld\n", (long)(sum));
}
