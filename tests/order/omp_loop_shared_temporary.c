// race: all iterations use one temporary variable.
// flags: -fopenmp
// threads: 1 2 4 8
// level: -O0
#include <stdio.h>

enum { N = 200 };
static int a[N], temporary;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        temporary = a[i] + i; // race
        a[i] = temporary; // race
    }
    printf("%ld\n", (long)(a[7]));
}
