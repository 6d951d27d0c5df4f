// clean: libomp gives the memory of a finished task to a new one.
// flags: -fopenmp
// threads: 2 4 8
#include <stdio.h>

struct block {
    long values[16];
};

int main(void) {
    long sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 300; i++) {
        struct block block = {{i}};
#pragma omp task firstprivate(block)
        {
            block.values[1] = block.values[0];
#pragma omp atomic
            sum += block.values[1];
        }
    }
    printf("%ld\n", sum);
}
