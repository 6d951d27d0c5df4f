// Longest Collatz sequences: one hot loop with two paths, no memory traffic of its own.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned steps_to_one(uint64_t n) {
    unsigned steps = 0;
    while (n != 1) {
        if (n % 2 == 0)
            n /= 2;
        else
            n = 3 * n + 1;
        steps++;
    }
    return steps;
}

int main(int argc, char **argv) {
    uint64_t limit = argc > 1 ? strtoull(argv[1], NULL, 10) : 7000000;
    uint64_t best = 1, sum = 0;
    unsigned longest = 0;
    for (uint64_t n = 1; n < limit; n++) {
        unsigned steps = steps_to_one(n);
        sum += steps;
        if (steps > longest) {
            longest = steps;
            best = n;
        }
    }
    printf("collatz %llu %u %llu\n", (unsigned long long)best, longest, (unsigned long long)sum);
    return 0;
}
