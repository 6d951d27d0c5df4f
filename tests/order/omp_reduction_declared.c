// clean: a reduction that the program declares.
// flags: -fopenmp
// threads: 1 3 5 8 16
#include <stdio.h>

struct range {
    long low, high;
};

static void widen(struct range *all, const struct range *more) {
    all->low = more->low < all->low ? more->low : all->low;
    all->high = more->high > all->high ? more->high : all->high;
}

#pragma omp declare reduction(widen : struct range : widen(&omp_out, &omp_in)) \
    initializer(omp_priv = {1L << 40, -(1L << 40)})

int main(void) {
    struct range all = {1L << 40, -(1L << 40)};
#pragma omp parallel for reduction(widen : all)
    for (int i = -500; i < 500; i++) {
        struct range one = {i, i * 2};
        widen(&all, &one);
    }
    printf("%ld %ld\n", all.low, all.high);
}
