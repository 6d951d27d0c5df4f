// clean: a group waits for the children of its tasks, too.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int values[100];

static void fill(int from, int to) {
    if (to - from < 4) {
        for (int i = from; i < to; i++)
            values[i] = i;
        return;
    }
    int middle = (from + to) / 2;
#pragma omp task
    fill(from, middle);
#pragma omp task
    fill(middle, to);
}

int main(void) {
    long sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        fill(0, 100);
        for (int i = 0; i < 100; i++)
            sum += values[i];
    }
    printf("%ld\n", sum);
}
