// clean: the ordered regions come one after the other.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], last;
int main(void) {
#pragma omp parallel for ordered
    for (int i = 0; i < N - 1; i++) {
        int value = i * 2;
        _Pragma("omp ordered") {
            a[i] = last;
            last = value;
        }
    }
    printf("%ld\n", (long)(a[7]));
}
