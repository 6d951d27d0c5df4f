// A systematic code over GF(256) in the manner of Reed and Solomon: table look-ups with data-dependent branches.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 255, PARITY = 32, DATA = LENGTH - PARITY };

static uint8_t exponent[512], logarithm[256], generator[PARITY + 1];

static uint8_t times(uint8_t a, uint8_t b) {
    if (a == 0 || b == 0)
        return 0;
    return exponent[logarithm[a] + logarithm[b]];
}

static void make_tables(void) {
    unsigned x = 1;
    for (int i = 0; i < 255; i++) {
        exponent[i] = exponent[i + 255] = (uint8_t)x;
        logarithm[x] = (uint8_t)i;
        x <<= 1;
        if (x & 256)
            x ^= 0x11d;
    }
    generator[0] = 1;
    for (int i = 0; i < PARITY; i++)
        for (int j = i + 1; j > 0; j--)
            generator[j] = (uint8_t)(generator[j] ^ times(generator[j - 1], exponent[i]));
}

static void encode(uint8_t *word) {
    uint8_t rest[LENGTH];
    memcpy(rest, word, DATA);
    memset(rest + DATA, 0, PARITY);
    for (int i = 0; i < DATA; i++) {
        uint8_t lead = rest[i];
        if (lead == 0)
            continue;
        for (int j = 1; j <= PARITY; j++)
            rest[i + j] ^= times(generator[j], lead);
    }
    memcpy(word + DATA, rest + DATA, PARITY);
}

// Number of non-zero syndromes: 0 for an undamaged word.
static int damage(const uint8_t *word) {
    int nonzero = 0;
    for (int i = 0; i < PARITY; i++) {
        uint8_t sum = 0;
        for (int j = 0; j < LENGTH; j++)
            sum = (uint8_t)(times(sum, exponent[i]) ^ word[j]);
        nonzero += sum != 0;
    }
    return nonzero;
}

int main(int argc, char **argv) {
    long words = argc > 1 ? atol(argv[1]) : 30000, damaged = 0;
    uint32_t seed = 7, sum = 0;
    make_tables();
    for (long w = 0; w < words; w++) {
        uint8_t word[LENGTH];
        for (int i = 0; i < DATA; i++) {
            seed = seed * 1664525u + 1013904223u;
            word[i] = (uint8_t)(seed >> 24);
        }
        encode(word);
        if (seed >> 30 == 0)
            word[seed % LENGTH] ^= 1;
        damaged += damage(word) != 0;
        sum = sum * 31 + word[LENGTH - 1];
    }
    printf("rscode %ld %u\n", damaged, sum);
    return 0;
}
