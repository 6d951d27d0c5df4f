// race: two pointers point to one array.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N];
static int *one = a, *other = a + 1;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        one[i] = other[i]; // race
    }
    printf("%ld\n", (long)(a[7]));
}
