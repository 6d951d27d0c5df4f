// race: a variable is read outside of the ordered region.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], last;
int main(void) {
#pragma omp parallel for ordered
    for (int i = 0; i < N - 1; i++) {
        int value = last; // race
        _Pragma("omp ordered") last = value + i; // race
    }
    printf("%ld\n", (long)(last));
}
