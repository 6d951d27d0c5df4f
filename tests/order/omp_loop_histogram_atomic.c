// clean: iterations count in the same elements, atomically.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int count[4];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        _Pragma("omp atomic") count[i % 4]++;
    }
    printf("%ld\n", (long)(count[1]));
}
