// clean: sections, `single`, `ordered` and `copyprivate`.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

int main(void) {
    int one = 0, two = 0, order[20], next = 0, copied = 0;
    long sum = 0;
#pragma omp parallel firstprivate(copied)
    {
#pragma omp sections
        {
#pragma omp section
            one = 1;
#pragma omp section
            two = 2;
        }
#pragma omp single copyprivate(copied)
        copied = one + two;
#pragma omp atomic
        sum += copied;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 20; i++) {
#pragma omp ordered
            order[next++] = i;
        }
    }
    printf("%d\n", order[19] + (sum > 0));
}
