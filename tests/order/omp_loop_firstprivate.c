// clean: each thread has a copy of the array.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], own[4];
int main(void) {
#pragma omp parallel for firstprivate(own)
    for (int i = 0; i < N - 1; i++) {
        own[i % 4]++;
        a[i] = own[i % 4];
    }
    printf("%ld\n", (long)(a[7]));
}
