// race: any thread may read an element before the loop has written it.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int a[200], x;

int main(void) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < 200; i++)
            a[i] = i; // race
#pragma omp single
        x = a[9]; // race
    }
    printf("%d\n", x);
}
