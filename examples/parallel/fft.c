// The discrete Fourier transform of many complex numbers, in six steps (Bailey: FFTs in external or
// hierarchical memory, 1990): the numbers are a square matrix, which is transposed, has its rows
// transformed, is multiplied by roots of one, and so on.
//
//     fft [THREADS [LOG]]
//
// There are 4 to the power of LOG numbers. Each thread has a share of the rows, and there is a
// barrier between steps: a transposition reads what all others wrote.
#include "team.h"

#include <math.h>

enum { MOST_LOG = 12 };

struct complex {
    double re, im;
};

static const double PI = 3.14159265358979323846;

static size_t logarithm = 8, side;
// The numbers, room for a transposed copy, and the powers of the root of one of this order.
static struct complex *numbers, *other, *roots;

static struct complex times(struct complex a, struct complex b) {
    return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// The rows of `to` from one to another are columns of `from`.
static void transpose(struct complex *to, const struct complex *from, size_t first, size_t last) {
    for (size_t i = first; i < last; i++)
        for (size_t j = 0; j < side; j++)
            to[i * side + j] = from[j * side + i];
}

static void swap_reversed(struct complex *row) {
    for (size_t i = 0, reversed = 0; i < side; i++) {
        if (i < reversed) {
            struct complex kept = row[i];
            row[i] = row[reversed];
            row[reversed] = kept;
        }
        size_t bit = side >> 1;
        for (; reversed & bit; bit >>= 1)
            reversed ^= bit;
        reversed |= bit;
    }
}

// A row in place: Cooley and Tukey, with the loop over its levels (1965).
static void transform_row(struct complex *row) {
    swap_reversed(row);
    for (size_t half = 1; half < side; half *= 2) {
        size_t stride = side / (2 * half) * side;
        for (size_t base = 0; base < side; base += 2 * half)
            for (size_t k = 0; k < half; k++) {
                struct complex *low = &row[base + k], *high = low + half;
                struct complex turned = times(*high, roots[k * stride]);
                *high = (struct complex){low->re - turned.re, low->im - turned.im};
                *low = (struct complex){low->re + turned.re, low->im + turned.im};
            }
    }
}

static void turn_row(struct complex *row, size_t i) {
    for (size_t j = 0; j < side; j++)
        row[j] = times(row[j], roots[i * j]);
}

static void transform(int thread, int threads) {
    size_t from = share_begin(side, thread, threads), to = share_begin(side, thread + 1, threads);
    size_t all = side * side;
    for (size_t i = from * side; i < to * side; i++) {
        double angle = -2 * PI * (double)i / (double)all;
        roots[i] = (struct complex){cos(angle), sin(angle)};
        numbers[i] = (struct complex){fraction(2 * i) - 0.5, fraction(2 * i + 1) - 0.5};
    }
    team_barrier();
    transpose(other, numbers, from, to);
    for (size_t i = from; i < to; i++) {
        transform_row(&other[i * side]);
        turn_row(&other[i * side], i);
    }
    team_barrier();
    transpose(numbers, other, from, to);
    for (size_t i = from; i < to; i++)
        transform_row(&numbers[i * side]);
    team_barrier();
    transpose(other, numbers, from, to);
}

// By Parseval's theorem, the transform has as much energy as the numbers, times how many there are.
static int keeps_energy(size_t all) {
    double before = 0, after = 0;
    for (size_t i = 0; i < all; i++) {
        double re = fraction(2 * i) - 0.5, im = fraction(2 * i + 1) - 0.5;
        before += re * re + im * im;
        after += other[i].re * other[i].re + other[i].im * other[i].im;
    }
    return fabs(after / (double)all - before) < 1e-9 * before;
}

int main(int argc, char **argv) {
    int threads = 2;
    read_arguments(argc, argv, &threads, &logarithm, MOST_LOG);
    side = (size_t)1 << logarithm;
    size_t all = side * side;
    numbers = allocate(all, sizeof *numbers);
    other = allocate(all, sizeof *other);
    roots = allocate(all, sizeof *roots);
    team_run(transform, threads);
    uint64_t sum = 0;
    for (size_t i = 0; i < all; i++)
        sum = checksum(checksum(sum, bits_of(other[i].re)), bits_of(other[i].im));
    printf("fft: %zu numbers, energy %s, %016lx\n", all, keeps_energy(all) ? "kept" : "LOST",
           (unsigned long)sum);
    free(numbers);
    free(other);
    free(roots);
    return 0;
}
