// LU decomposition with partial pivoting, solving, and the residual: triangular loops.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Returns the sign of the permutation, or 0 if the matrix is singular.
static int decompose(double *a, size_t *row, size_t n) {
    int sign = 1;
    for (size_t i = 0; i < n; i++)
        row[i] = i;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[row[i] * n + k]) > fabs(a[row[best] * n + k]))
                best = i;
        if (a[row[best] * n + k] == 0)
            return 0;
        if (best != k) {
            size_t t = row[k];
            row[k] = row[best];
            row[best] = t;
            sign = -sign;
        }
        const double *pivot = &a[row[k] * n];
        for (size_t i = k + 1; i < n; i++) {
            double *line = &a[row[i] * n];
            double factor = line[k] /= pivot[k];
            if (factor == 0)
                continue;
            for (size_t j = k + 1; j < n; j++)
                line[j] -= factor * pivot[j];
        }
    }
    return sign;
}

static void solve(const double *a, const size_t *row, const double *b, double *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = b[row[i]];
        for (size_t j = 0; j < i; j++)
            x[i] -= a[row[i] * n + j] * x[j];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            x[i] -= a[row[i] * n + j] * x[j];
        x[i] /= a[row[i] * n + i];
    }
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    double *a = malloc((2 * n * n + 2 * n) * sizeof *a);
    size_t *row = malloc(n * sizeof *row);
    if (a == NULL || row == NULL)
        return 1;
    double *copy = a + n * n, *b = copy + n * n, *x = b + n, worst = 0;
    unsigned seed = 1;
    for (size_t i = 0; i < n * n; i++) {
        seed = seed * 1664525u + 1013904223u;
        copy[i] = a[i] = (double)(seed >> 16) / 65536.0 - 0.5;
    }
    for (size_t i = 0; i < n; i++)
        b[i] = (double)(i % 10);
    int sign = decompose(a, row, n);
    solve(a, row, b, x, n);
    for (size_t i = 0; i < n; i++) {
        double residual = -b[i];
        for (size_t j = 0; j < n; j++)
            residual += copy[i * n + j] * x[j];
        if (fabs(residual) > worst)
            worst = fabs(residual);
    }
    printf("lu %d %s\n", sign, worst < 1e-6 ? "solved" : "wrong");
    free(a);
    free(row);
    return 0;
}
