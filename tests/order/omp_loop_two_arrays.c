// clean: iterations read one array and write another one.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], b[N];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        b[i] = a[i + 1] + 1;
    }
    printf("%ld\n", (long)(b[7]));
}
