// clean: a thread takes a lock twice.
// flags: -fopenmp
// threads: 1 2 4 8
#include <omp.h>
#include <stdio.h>

static int x;
static omp_nest_lock_t lock;

static void add(int n) {
    omp_set_nest_lock(&lock);
    if (n)
        add(n - 1);
    x++;
    omp_unset_nest_lock(&lock);
}

int main(void) {
    omp_init_nest_lock(&lock);
#pragma omp parallel for
    for (int i = 0; i < 50; i++)
        add(3);
    printf("%d\n", x);
}
