// race: a function that iterations call has a static variable.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N];

static int count(void) {
    static int calls;
    return ++calls; // race
}

int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        a[i] = count();
    }
    printf("%ld\n", (long)(a[7]));
}
