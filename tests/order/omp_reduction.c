// clean: from some number of threads on libomp reduces in a tree.
// flags: -fopenmp
// threads: 1 2 3 4 5 6 8 16
#include <stdio.h>

int main(void) {
    long sum = 0, most = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : most)
    for (int i = 0; i < 1000; i++) {
        sum += i;
        most = i > most ? i : most;
    }
    printf("%ld %ld\n", sum, most);
}
