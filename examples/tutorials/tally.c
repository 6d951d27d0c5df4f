// Counts how often each word stands in some lines, with four threads and one table.
//
//     tally [LINES]
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, WORDS = 12, LETTERS = 8, LINE = WORDS * (LETTERS + 1) + 1, SLOTS = 4096 };

static long lines = 4000;
static long table[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A line that looks random, the same for the same number in every run.
static void read_line(char *line, long number) {
    uint32_t seed = (uint32_t)number * 2654435761u + 12345;
    for (int word = 0; word < WORDS; word++) {
        seed = seed * 1664525u + 1013904223u;
        for (int letter = 0; letter < LETTERS; letter++)
            *line++ = (char)('a' + (seed >> (letter * 3) & 7));
        *line++ = ' ';
    }
    *line = '\0';
}

// The slot of the word that begins here.
static unsigned slot_of(const char *word) {
    uint32_t hash = 2166136261u;
    for (; *word != ' '; word++)
        hash = (hash ^ (uint8_t)*word) * 16777619u;
    return (hash ^ hash >> 16) % SLOTS;
}

static void add(unsigned slot) { table[slot]++; }

static void count_words(const char *line) {
    pthread_mutex_lock(&lock);
    for (int word = 0; word < WORDS; word++)
        add(slot_of(line + word * (LETTERS + 1)));
    pthread_mutex_unlock(&lock);
}

static void *count_lines(void *thread) {
    char line[LINE];
    for (long number = (long)(intptr_t)thread; number < lines; number += THREADS) {
        read_line(line, number);
        count_words(line);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t ids[THREADS];
    if (argc > 1)
        lines = atol(argv[1]);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&ids[i], NULL, count_lines, (void *)(intptr_t)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    long words = 0, used = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        words += table[slot];
        used += table[slot] > 0;
    }
    printf("%ld words in %ld slots\n", words, used);
    return 0;
}
