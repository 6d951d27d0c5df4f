// clean: the value that one thread read is given to all.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int a[64];

int main(void) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        int own;
#pragma omp single copyprivate(own)
        own = 7;
        sum += own;
    }
    printf("%d\n", sum > 0);
}
