// clean: two variables are reduced.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static long sum;
static int most;
int main(void) {
#pragma omp parallel for reduction(+ : sum) reduction(max : most)
    for (int i = 0; i < N - 1; i++) {
        sum += i;
        if (i > most)
            most = i;
    }
    printf("%ld\n", (long)(sum + most));
}
