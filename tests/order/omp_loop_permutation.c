// clean: each iteration has an element of its own, by another array.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], at[N];
int main(void) {
    for (int i = 0; i < N; i++)
        at[i] = (i * 7) % N;
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        a[at[i]] += i;
    }
    printf("%ld\n", (long)(a[7]));
}
