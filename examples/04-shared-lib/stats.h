// Mean and largest value of some numbers.
double stats_mean(const double *x, int n);
double stats_largest(const double *x, int n);
