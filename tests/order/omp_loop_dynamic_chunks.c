// clean: only iterations of a chunk depend on each other, in a dynamic schedule.
// flags: -fopenmp
// threads: 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N];
int main(void) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < N - 1; i++) {
        if (i % 4)
            a[i] = a[i - 1] + 1;
    }
    printf("%ld\n", (long)(a[7]));
}
