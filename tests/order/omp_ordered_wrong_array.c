// race: the ordered region is left before the array is written.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int a[100], last;

int main(void) {
#pragma omp parallel for ordered
    for (int i = 1; i < 100; i++) {
#pragma omp ordered
        last = i;
        a[i] = a[i - 1] + last; // race
    }
    printf("%d\n", a[7]);
}
