// flags: -fopenmp
#include <omp.h>
#include <stdio.h>
static int f(int n) { return n % 3 ? n : 2; }
int main(void) {
    int sum = 0, tasks = 0;
    omp_set_num_threads(2);
#pragma omp parallel for reduction(+ : sum) schedule(static, 3)
    for (int i = 0; i < 50; i++) sum += f(i);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 5; i++) {
#pragma omp task
        {
#pragma omp atomic
            tasks += f(i);
        }
    }
#pragma omp parallel sections
    {
#pragma omp section
        { if (sum > 3) { _Pragma("omp atomic") tasks++; } }
#pragma omp section
        { _Pragma("omp critical") tasks += 2; }
    }
    printf("%d %d\n", sum, tasks);
}
