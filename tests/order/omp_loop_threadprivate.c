// clean: a function that iterations call has a variable of each thread.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], calls;
#pragma omp threadprivate(calls)

static int count(void) {
    return ++calls;
}

int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        a[i] = count();
    }
    printf("%ld\n", (long)(a[7]));
}
