// clean: tasks that take part in a reduction.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

int main(void) {
    long sum = 0, more = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
#pragma omp taskloop reduction(+ : more) grainsize(5)
        for (int i = 0; i < 40; i++)
            more += i;
    }
    printf("%ld %ld\n", sum, more);
}
