// clean: tasks that a thread executes one after the other use the same stack.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

static int x;
static int a[20];

static int square(int n) {
    int result = n * n;
    return result;
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task
            {
                int own = square(i);
                a[i] = own;
            }
        }
#pragma omp taskwait
        x = a[7];
    }
    printf("%d\n", x);
}
