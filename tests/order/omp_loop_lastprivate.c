// clean: only the last iteration's value is written, behind the loop.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int last;
int main(void) {
#pragma omp parallel for lastprivate(last)
    for (int i = 0; i < N - 1; i++) {
        last = i;
    }
    printf("%ld\n", (long)(last));
}
