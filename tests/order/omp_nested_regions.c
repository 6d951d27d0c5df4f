// clean: regions in regions, whose ends libomp tells late.
// flags: -fopenmp
#include <omp.h>
#include <stdio.h>

static long values[4][4][2];

int main(void) {
    omp_set_max_active_levels(3);
    omp_set_dynamic(0);
#pragma omp parallel num_threads(4)
    {
        int i = omp_get_thread_num();
#pragma omp parallel num_threads(4)
        {
            int j = omp_get_thread_num();
#pragma omp parallel num_threads(2)
            {
                int k = omp_get_thread_num();
                values[i][j][k] = i * 100 + j * 10 + k;
            }
        }
    }
    long sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 2; k++)
                sum += values[i][j][k];
    printf("%ld\n", sum);
}
