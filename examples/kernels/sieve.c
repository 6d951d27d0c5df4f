// Sieve of Eratosthenes over odd numbers, one bit each: tight loops with very few paths.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t sieve(uint8_t *composite, size_t limit) {
    size_t half = limit / 2; // bit i stands for the number 2 i + 1
    memset(composite, 0, half / 8 + 1);
    size_t primes = limit > 2 ? 1 : 0;
    for (size_t i = 1; i < half; i++) {
        if (composite[i >> 3] & (1u << (i & 7)))
            continue;
        primes++;
        size_t p = 2 * i + 1;
        for (size_t j = (p * p) / 2; j < half; j += p)
            composite[j >> 3] |= (uint8_t)(1u << (j & 7));
    }
    return primes;
}

int main(int argc, char **argv) {
    size_t limit = argc > 1 ? strtoul(argv[1], NULL, 10) : 16000000;
    size_t rounds = 40, sum = 0;
    uint8_t *composite = malloc(limit / 16 + 1);
    if (composite == NULL)
        return 1;
    for (size_t round = 0; round < rounds; round++)
        sum = sum * 31 + sieve(composite, limit - round * (limit / 100));
    printf("sieve %zu\n", sum);
    free(composite);
    return 0;
}
