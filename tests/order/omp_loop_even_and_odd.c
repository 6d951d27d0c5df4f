// clean: iterations read odd elements and write even ones.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[2 * N];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        a[2 * i] = a[2 * i + 1] + 1;
    }
    printf("%ld\n", (long)(a[7]));
}
