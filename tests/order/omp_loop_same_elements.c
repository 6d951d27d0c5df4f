// race: two iterations have the same element.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 200 };
static int a[N], at[N];
int main(void) {
    for (int i = 0; i < N; i++)
        at[i] = i == 150 ? 3 : i;
#pragma omp parallel for
    for (int i = 0; i < N - 1; i++) {
        a[at[i]] += i; // race
    }
    printf("%ld\n", (long)(a[7]));
}
