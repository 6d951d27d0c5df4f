// race: an iteration reads what the previous one writes.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        a[i + 1] = a[i] + 1; // race
    }
    printf("%ld\n", (long)(a[7]));
}
