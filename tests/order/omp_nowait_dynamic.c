// race: two dynamic loops may give a thread other iterations.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], b[N];

int main(void) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < N; i++)
            a[i] = i; // race
#pragma omp for schedule(dynamic)
        for (int i = 0; i < N; i++)
            b[i] = a[i]; // race
    }
    printf("%d\n", b[7]);
}
