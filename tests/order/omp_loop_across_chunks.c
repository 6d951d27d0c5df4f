// race: the first iteration of a chunk reads what the last one of another chunk writes.
// flags: -fopenmp
// threads: 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N];
int main(void) {
#pragma omp parallel for schedule(static, 4)
    for (int i = 1; i < N; i++) {
        a[i] = a[i - 1] + 1; // race
    }
    printf("%ld\n", (long)(a[7]));
}
