// race: a loop without a barrier, and a loop that reads the elements of other iterations.
// flags: -fopenmp
// threads: 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], b[N];

int main(void) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++)
            a[i] = i; // race
#pragma omp for
        for (int i = 0; i < N; i++)
            b[i] = a[N - 1 - i]; // race
    }
    printf("%d\n", b[7]);
}
