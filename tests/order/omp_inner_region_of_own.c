// clean: each inner region writes a row of its own.
// flags: -fopenmp
// threads: 1 2 4 8
#include <omp.h>
#include <stdio.h>

static int a[8][20];

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++) {
#pragma omp parallel for num_threads(2)
        for (int j = 0; j < 20; j++)
            a[i][j] = i;
        a[i][0] += a[i][19];
    }
    printf("%d\n", a[0][0]);
}
