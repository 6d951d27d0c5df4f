// Multiplies matrices of integers whose rows stand on the heap, and transposes them.
#include <stdio.h>
#include <stdlib.h>

static int **matrix(int n) {
    int **rows = malloc((size_t)n * sizeof *rows);
    if (rows == NULL)
        abort();
    for (int i = 0; i < n; i++)
        if ((rows[i] = malloc((size_t)n * sizeof **rows)) == NULL)
            abort();
    return rows;
}

static void multiply(int **a, int **b, int **product, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            product[i][j] = sum % 10007;
        }
}

static void transpose(int **a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            int t = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = t;
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 120;
    int **a = matrix(n), **b = matrix(n), **c = matrix(n);
    unsigned seed = 9, sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            seed = seed * 1664525u + 1013904223u;
            a[i][j] = (int)(seed >> 20);
            b[i][j] = (int)(seed >> 12 & 1023);
        }
    for (int round = 0; round < 300; round++) {
        multiply(a, b, c, n);
        transpose(b, n);
        int **t = a;
        a = c;
        c = t;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum = sum * 31 + (unsigned)a[i][j];
    printf("rows %u\n", sum);
    for (int i = 0; i < n; i++) {
        free(a[i]);
        free(b[i]);
        free(c[i]);
    }
    free(a);
    free(b);
    free(c);
    return 0;
}
