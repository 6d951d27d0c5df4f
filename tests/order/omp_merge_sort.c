// clean: tasks sort halves, which their creator merges.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>
#include <string.h>

enum { N = 256 };
static int a[N], b[N];

static void sort(int from, int to) {
    if (to - from < 2)
        return;
    int middle = (from + to) / 2;
#pragma omp task
    sort(from, middle);
#pragma omp task
    sort(middle, to);
#pragma omp taskwait
    int i = from, j = middle;
    for (int k = from; k < to; k++)
        b[k] = j == to || (i < middle && a[i] <= a[j]) ? a[i++] : a[j++];
    memcpy(a + from, b + from, (to - from) * sizeof(int));
}

int main(void) {
    for (int i = 0; i < N; i++)
        a[i] = i * 37 % N;
#pragma omp parallel
#pragma omp single
    sort(0, N);
    printf("%d\n", a[7]);
}
