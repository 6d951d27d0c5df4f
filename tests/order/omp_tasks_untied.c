// clean: untied tasks have elements of their own.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int a[20];

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task untied
            {
                a[i] = i;
#pragma omp taskyield
                a[i]++;
            }
        }
#pragma omp taskwait
        x = a[7];
    }
    printf("%d\n", x);
}
