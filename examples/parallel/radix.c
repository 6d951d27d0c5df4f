// Sorts numbers by their digits, the last digit first (Knuth: The art of computer programming,
// 5.2.5; in parallel: Blelloch et al.: A comparison of sorting algorithms for the CM-2, 1991).
//
//     radix [THREADS [NUMBERS]]
//
// For each digit, a thread counts the digits of its share, learns from the counts of all where its
// numbers go, and puts them there. The order among equal digits is kept, so the result is the same
// for any number of threads.
#include "team.h"

enum { BITS = 8, DIGITS = 1 << BITS, ROUNDS = 32 / BITS, MOST_NUMBERS = 1 << 28 };

static size_t numbers = 200000;
// Where they are, and where they go; they change places after each digit.
static uint32_t *keys[2];
static size_t counts[MOST_THREADS][DIGITS];

static unsigned digit_of(uint32_t key, int round) { return key >> (round * BITS) & (DIGITS - 1); }

static void count_digits(const uint32_t *from, size_t first, size_t last, int round,
                         size_t *count) {
    memset(count, 0, DIGITS * sizeof *count);
    for (size_t i = first; i < last; i++)
        count[digit_of(from[i], round)]++;
}

// Where a thread's first number with each digit goes: behind all smaller digits, and behind the
// same digit of the threads before it.
static void find_places(size_t *place, int thread, int threads) {
    size_t before = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
        place[digit] = before;
        for (int other = 0; other < threads; other++) {
            if (other < thread)
                place[digit] += counts[other][digit];
            before += counts[other][digit];
        }
    }
}

static void put(const uint32_t *from, uint32_t *to, size_t first, size_t last, int round,
                size_t *place) {
    for (size_t i = first; i < last; i++)
        to[place[digit_of(from[i], round)]++] = from[i];
}

static void sort(int thread, int threads) {
    size_t first = share_begin(numbers, thread, threads);
    size_t last = share_begin(numbers, thread + 1, threads);
    for (size_t i = first; i < last; i++)
        keys[0][i] = (uint32_t)dice(i);
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t *from = keys[round % 2];
        size_t place[DIGITS];
        team_barrier();
        count_digits(from, first, last, round, counts[thread]);
        team_barrier();
        find_places(place, thread, threads);
        put(from, keys[(round + 1) % 2], first, last, round, place);
    }
}

int main(int argc, char **argv) {
    int threads = 2;
    read_arguments(argc, argv, &threads, &numbers, MOST_NUMBERS);
    for (int i = 0; i < 2; i++)
        keys[i] = allocate(numbers, sizeof **keys);
    team_run(sort, threads);
    const uint32_t *sorted = keys[ROUNDS % 2];
    uint64_t sum = 0;
    int is_sorted = 1;
    for (size_t i = 0; i < numbers; i++) {
        is_sorted &= i == 0 || sorted[i - 1] <= sorted[i];
        sum = checksum(sum, sorted[i]);
    }
    printf("radix: %zu numbers, %s, %016lx\n", numbers, is_sorted ? "sorted" : "NOT SORTED",
           (unsigned long)sum);
    free(keys[0]);
    free(keys[1]);
    return 0;
}
