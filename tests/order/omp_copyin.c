// clean: each thread has a copy, which begins with the first thread's value.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x = 3;
#pragma omp threadprivate(x)

int main(void) {
    int sum = 0;
    x = 4;
#pragma omp parallel copyin(x) reduction(+ : sum)
    sum += x++;
    printf("%d\n", sum > 0);
}
