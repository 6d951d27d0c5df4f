// clean: iterations that wait for others.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int values[200];

int main(void) {
#pragma omp parallel for ordered(1)
    for (int i = 1; i < 200; i++) {
#pragma omp ordered depend(sink : i - 1)
        values[i] = values[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    printf("%d\n", values[199]);
}
