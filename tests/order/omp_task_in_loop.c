// clean: an iteration waits for its tasks.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int a[40];

int main(void) {
#pragma omp parallel for
    for (int i = 0; i < 40; i++) {
        int own = 0;
#pragma omp task shared(own)
        own = i;
#pragma omp taskwait
        a[i] = own;
    }
    printf("%d\n", a[7]);
}
