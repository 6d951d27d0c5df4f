// clean: each thread allocates a buffer, which its iterations use one after the other.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>
#include <stdlib.h>

enum { N = 200 };
static int a[N];

int main(void) {
#pragma omp parallel
    {
        int *buffer = malloc(8 * sizeof(int));
#pragma omp for schedule(dynamic)
        for (int i = 0; i < N; i++) {
            buffer[0] = i;
            a[i] = buffer[0];
        }
        free(buffer);
    }
    printf("%d\n", a[7]);
}
