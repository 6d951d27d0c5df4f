// race: iterations write every second element and read the first half.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[2 * N];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        a[2 * i] = a[i] + 1; // race
    }
    printf("%ld\n", (long)(a[7]));
}
