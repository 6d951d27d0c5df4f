#include <stdio.h>

#include "stats.h"

int main(void) {
    static const double x[] = {3, 1, 4, 1, 5, 9, 2, 6};
    printf("mean %.3f, largest %.0f\n", stats_mean(x, 8), stats_largest(x, 8));
    return 0;
}
