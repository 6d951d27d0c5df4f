#include "stats.h"

double stats_mean(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return n > 0 ? sum / n : 0;
}

double stats_largest(const double *x, int n) {
    double largest = n > 0 ? x[0] : 0;
    for (int i = 1; i < n; i++)
        if (x[i] > largest)
            largest = x[i];
    return largest;
}
