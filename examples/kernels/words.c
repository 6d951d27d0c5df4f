// Counts words in a hash table with chaining and prints the most frequent: a character loop and list walks.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 14, LONGEST = 24 };

struct word {
    struct word *next;
    long count;
    char text[LONGEST + 1];
};

static struct word *table[BUCKETS];
static long distinct;

static int is_letter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\'';
}

static void count(const char *text, int length) {
    uint32_t hash = 2166136261u;
    for (int i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    struct word **slot = &table[hash % BUCKETS];
    for (; *slot != NULL; slot = &(*slot)->next)
        if (strcmp((*slot)->text, text) == 0) {
            (*slot)->count++;
            return;
        }
    struct word *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL)
        abort();
    memcpy(fresh->text, text, (size_t)length);
    fresh->count = 1;
    *slot = fresh;
    distinct++;
}

static char made_up(uint32_t dice) {
    if (dice % 6 == 0)
        return dice % 12 == 0 ? ' ' : ',';
    char letter = "aabcdeeefghiijklmnooprsttuw"[dice % 27];
    return dice % 31 == 0 ? (char)(letter - 'a' + 'A') : letter;
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 160000000, words = 0;
    char word[LONGEST + 1];
    int length = 0;
    uint32_t seed = 5;
    for (long i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        char c = made_up(seed >> 12);
        if (is_letter(c)) {
            if (length < LONGEST)
                word[length++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        } else if (length > 0) {
            if (length > 3)
                length = 3;
            word[length] = '\0';
            count(word, length);
            words++;
            length = 0;
        }
    }
    const struct word *best = NULL;
    for (int b = 0; b < BUCKETS; b++)
        for (const struct word *w = table[b]; w != NULL; w = w->next)
            if (best == NULL || w->count > best->count || (w->count == best->count && strcmp(w->text, best->text) < 0))
                best = w;
    printf("words %ld %ld %s %ld\n", words, distinct, best ? best->text : "-", best ? best->count : 0);
    return 0;
}
