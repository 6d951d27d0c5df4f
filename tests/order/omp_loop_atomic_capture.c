// clean: each iteration takes a number of its own.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], next;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        int own;
        _Pragma("omp atomic capture") own = next++;
        a[own] = i;
    }
    printf("%ld\n", (long)(a[7]));
}
