// clean: each iteration allocates and frees a block.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>
#include <stdlib.h>

enum { N = 200 };
static int a[N];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        int *block = malloc(64);
        block[0] = i;
        a[i] = block[0];
        free(block);
    }
    printf("%ld\n", (long)(a[7]));
}
