// clean: a variable grows with each iteration, and each computes it.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[2 * N];
int main(void) {
    int j = 0;
#pragma omp parallel for linear(j : 2)
    for (int i = 0; i < N - 1; i++) {
        a[j] = i;
        j += 2;
    }
    printf("%ld\n", (long)(a[8]));
}
