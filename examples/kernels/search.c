// Finds sets of five words that share no letter: a search by bit masks with several ways on.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1500, LETTERS = 26, CHOSEN = 5, MOST = 1000 };

static uint32_t mask[WORDS];
static int first_with[LETTERS + 1], by_letter[WORDS * CHOSEN];
static long found, tried;
static uint32_t digest;

static int bits(uint32_t set) {
    int count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

// The words are in lists by their lowest letter, so that no set is found twice.
static void arrange(void) {
    int end = 0;
    for (int letter = 0; letter < LETTERS; letter++) {
        first_with[letter] = end;
        for (int word = 0; word < WORDS; word++)
            if ((mask[word] >> letter & 1) && (mask[word] & ((1u << letter) - 1)) == 0)
                by_letter[end++] = word;
    }
    first_with[LETTERS] = end;
}

static __attribute__((noinline)) void keep(const int *chosen) {
    found++;
    for (int i = 0; i < CHOSEN; i++)
        digest = digest * 31 + (uint32_t)chosen[i];
}

static void search(uint32_t used, int depth, int letter, int skipped, int *chosen, long limit) {
    for (; letter < LETTERS; letter++) {
        if (used >> letter & 1)
            continue;
        for (int at = first_with[letter]; at < first_with[letter + 1]; at++) {
            int word = by_letter[at];
            if (++tried > limit)
                return;
            if (mask[word] & used)
                continue;
            if (bits(mask[word]) != 5)
                continue;
            chosen[depth] = word;
            if (depth + 1 < CHOSEN) {
                search(used | mask[word], depth + 1, letter + 1, skipped, chosen, limit);
            } else if (found < MOST || word % 3 == 0) {
                keep(chosen);
            }
        }
        if (skipped++ > 0)
            return;
    }
}

int main(int argc, char **argv) {
    long limit = argc > 1 ? atol(argv[1]) : 500000000;
    uint32_t seed = 77;
    for (int word = 0; word < WORDS; word++)
        while (bits(mask[word]) < 5) {
            seed = seed * 1664525u + 1013904223u;
            mask[word] |= 1u << (seed >> 16) % LETTERS;
        }
    arrange();
    while (tried < limit) {
        int chosen[CHOSEN];
        search(0, 0, 0, 0, chosen, limit);
    }
    printf("search %ld %u\n", found, digest);
    return 0;
}
