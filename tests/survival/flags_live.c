//#with: | -O1 | -O2 | -O3
//#entries: main 1
//#incomplete: 0
// Comparisons whose ways join before anything reads the flags: a count on such a way keeps them.
#include <stdio.h>
#define AT(i, op) if (a[i] != b[i]) return a[i] op b[i];
#define CHAIN(name, type, op) \
    __attribute__((noinline)) static int name(const type *a, const type *b) { \
        AT(0, op) AT(1, op) AT(2, op) AT(3, op) \
        return a[4] op b[4]; \
    }
#define CHAINS(name, type) \
    CHAIN(name##_less, type, <) CHAIN(name##_more, type, >) \
    CHAIN(name##_most, type, <=) CHAIN(name##_least, type, >=)
CHAINS(bytes, unsigned char)
CHAINS(numbers, int)
CHAINS(long_numbers, long)
CHAINS(fractions, double)
#define ALIKE(i) if (a[i] & 1) return (a[i] & b[i]) == 0;
__attribute__((noinline)) static int none_of(const unsigned *a, const unsigned *b) {
    ALIKE(0) ALIKE(1) ALIKE(2) ALIKE(3)
    return (a[4] & b[4]) == 0;
}
#define BELOW(i) if (a[i] & 1) return (int)((unsigned)a[i] - (unsigned)b[i]) < 0;
__attribute__((noinline)) static int is_below(const int *a, const int *b) {
    BELOW(0) BELOW(1) BELOW(2) BELOW(3)
    return (int)((unsigned)a[4] - (unsigned)b[4]) < 0;
}
#define ADDS(i) if (a[i] & 1) return __builtin_add_overflow(a[i], b[i], sum);
__attribute__((noinline)) static int overflows(const int *a, const int *b, int *sum) {
    ADDS(0) ADDS(1) ADDS(2) ADDS(3)
    return __builtin_add_overflow(a[4], b[4], sum);
}
#define UNORDERED(i) if (a[i] > 2) return __builtin_isunordered(a[i], b[i]);
__attribute__((noinline)) static int is_unordered(const double *a, const double *b) {
    UNORDERED(0) UNORDERED(1) UNORDERED(2) UNORDERED(3)
    return __builtin_isunordered(a[4], b[4]);
}
static unsigned state = 1;
static unsigned next(void) { return state = state * 1103515245u + 12345u, state >> 16; }
static unsigned hash;
static void take(int answer) { hash = hash * 31 + (unsigned)answer; }
#define TAKE(name, a, b) \
    (take(name##_less(a, b)), take(name##_more(a, b)), take(name##_most(a, b)), take(name##_least(a, b)))
int main(void) {
    for (int i = 0; i < 20000; i++) {
        unsigned char bytes[2][5];
        int numbers[2][5], sum = 0;
        long long_numbers[2][5];
        double fractions[2][5];
        for (int j = 0; j < 10; j++) {
            unsigned x = next() % 4;
            int at = j / 2, side = j % 2;
            bytes[side][at] = (unsigned char)(x * 85);
            numbers[side][at] = (int)(x * 0x3fffffffu + (next() & 1));
            long_numbers[side][at] = (long)x - 2;
            fractions[side][at] = x == 3 ? __builtin_nan("") : (double)x + (next() % 3);
        }
        TAKE(bytes, bytes[0], bytes[1]);
        TAKE(numbers, numbers[0], numbers[1]);
        TAKE(long_numbers, long_numbers[0], long_numbers[1]);
        TAKE(fractions, fractions[0], fractions[1]);
        take(none_of((unsigned *)numbers[0], (unsigned *)numbers[1]));
        take(is_below(numbers[0], numbers[1]));
        take(overflows(numbers[0], numbers[1], &sum));
        take(sum);
        take(is_unordered(fractions[0], fractions[1]));
    }
    printf("%u\n", hash);
    return 0;
}
