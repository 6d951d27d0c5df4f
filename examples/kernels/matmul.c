// Dense matrix product, once in the textbook order and once in blocks: loops that the optimiser vectorises.
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16 };

static void fill(double *m, size_t n, unsigned seed) {
    for (size_t i = 0; i < n * n; i++) {
        seed = seed * 1664525u + 1013904223u;
        m[i] = (double)(seed >> 20) / 64.0;
    }
}

static void multiply(const double *a, const double *b, double *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

static void multiply_blocked(const double *a, const double *b, double *c, size_t n) {
    for (size_t i = 0; i < n * n; i++)
        c[i] = 0;
    for (size_t kk = 0; kk < n; kk += BLOCK)
        for (size_t jj = 0; jj < n; jj += BLOCK)
            for (size_t i = 0; i < n; i++)
                for (size_t k = kk; k < kk + BLOCK && k < n; k++) {
                    double x = a[i * n + k];
                    for (size_t j = jj; j < jj + BLOCK && j < n; j++)
                        c[i * n + j] += x * b[k * n + j];
                }
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    double *m = malloc(4 * n * n * sizeof *m);
    if (m == NULL)
        return 1;
    double *a = m, *b = a + n * n, *c = b + n * n, *d = c + n * n;
    fill(a, n, 1);
    fill(b, n, 2);
    multiply(a, b, c, n);
    multiply_blocked(a, b, d, n);
    double trace = 0, difference = 0;
    for (size_t i = 0; i < n; i++)
        trace += c[i * n + i];
    for (size_t i = 0; i < n * n; i++)
        difference += c[i] > d[i] ? c[i] - d[i] : d[i] - c[i];
    printf("matmul %.6e %s\n", trace, difference < 1e-6 * trace ? "equal" : "different");
    free(m);
    return 0;
}
