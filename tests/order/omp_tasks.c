// clean: tasks, waited for by `taskwait`.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static long fibonacci(int n) {
    long one, two;
    if (n < 2)
        return n;
#pragma omp task shared(one)
    one = fibonacci(n - 1);
#pragma omp task shared(two)
    two = fibonacci(n - 2);
#pragma omp taskwait
    return one + two;
}

int main(void) {
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fibonacci(12);
    printf("%ld\n", result);
}
