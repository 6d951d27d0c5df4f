// clean: a loop in a region reduces at a barrier of its own.
// flags: -fopenmp
// threads: 1 2 4 5 8 16
#include <stdio.h>

int main(void) {
    long sum = 0, counts[8] = {0};
#pragma omp parallel
    {
#pragma omp for reduction(+ : sum) reduction(+ : counts[ : 8])
        for (int i = 0; i < 1000; i++) {
            sum += i;
            counts[i % 8]++;
        }
#pragma omp single
        sum++;
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 10; i++)
            sum += i;
    }
    printf("%ld %ld\n", sum, counts[3]);
}
