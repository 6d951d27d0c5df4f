// Radix-2 fast Fourier transform, there and back: nested loops with data-independent trip counts.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct complex {
    double re, im;
};

static void bit_reverse(struct complex *x, size_t n) {
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            struct complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
}

static void transform(struct complex *x, size_t n, int direction) {
    bit_reverse(x, n);
    for (size_t length = 2; length <= n; length *= 2) {
        double angle = direction * 2 * 3.14159265358979323846 / (double)length;
        struct complex root = {cos(angle), sin(angle)};
        for (size_t start = 0; start < n; start += length) {
            struct complex w = {1, 0};
            for (size_t k = start; k < start + length / 2; k++) {
                struct complex even = x[k], odd = x[k + length / 2];
                struct complex t = {odd.re * w.re - odd.im * w.im, odd.re * w.im + odd.im * w.re};
                x[k] = (struct complex){even.re + t.re, even.im + t.im};
                x[k + length / 2] = (struct complex){even.re - t.re, even.im - t.im};
                w = (struct complex){w.re * root.re - w.im * root.im, w.re * root.im + w.im * root.re};
            }
        }
    }
}

int main(int argc, char **argv) {
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 250, n = 1u << 16;
    struct complex *x = malloc(n * sizeof *x);
    if (x == NULL)
        return 1;
    for (size_t i = 0; i < n; i++)
        x[i] = (struct complex){(double)(i * 7919 % 1000), 0};
    for (size_t round = 0; round < rounds; round++) {
        transform(x, n, -1);
        transform(x, n, 1);
        for (size_t i = 0; i < n; i++)
            x[i] = (struct complex){x[i].re / (double)n, x[i].im / (double)n};
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i].re * (double)(i % 13);
    printf("fft %.0f\n", sum);
    free(x);
    return 0;
}
