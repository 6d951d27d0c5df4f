// clean: each thread has a temporary variable.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], temporary;
int main(void) {
#pragma omp parallel for private(temporary)
    for (int i = 0; i < N - 1; i++) {
        temporary = a[i] + i;
        a[i] = temporary;
    }
    printf("%ld\n", (long)(a[7]));
}
