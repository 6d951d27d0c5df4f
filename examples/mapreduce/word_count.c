// Counts made-up words: each thread has a table of its own, which are joined at the end.
#include "map.h"

enum { BUCKETS = 4096 };

struct entry {
    uint32_t word;
    long count;
    struct entry *next;
};

static struct entry *tables[MOST_THREADS][BUCKETS];

static uint32_t made_up_word(long item) {
    uint32_t roll = dice(item);
    return roll % 5 == 0 ? roll % 3000 : roll % 40;
}

static void count_word(struct entry **table, uint32_t word, long times) {
    struct entry **at = &table[word * 2654435761u >> 20];
    while (*at != NULL && (*at)->word != word)
        at = &(*at)->next;
    if (*at == NULL) {
        *at = calloc(1, sizeof **at);
        if (*at == NULL)
            abort();
        (*at)->word = word;
    }
    (*at)->count += times;
}

static void count_part(long from, long to, int thread) {
    for (long i = from; i < to; i++)
        count_word(tables[thread], made_up_word(i), 1);
}

static void join_part(int thread) {
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct entry *entry = tables[thread][bucket]; entry != NULL; entry = entry->next)
            count_word(tables[0], entry->word, entry->count);
}

int main(int argc, char **argv) {
    long n = argument(argc, argv, 1, 500000);
    int threads = threads_wanted(argc, argv);
    map(count_part, n, threads);
    for (int thread = 1; thread < threads; thread++)
        join_part(thread);
    long words = 0, most = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct entry *entry = tables[0][bucket]; entry != NULL; entry = entry->next) {
            words++;
            most = entry->count > most ? entry->count : most;
        }
    printf("%ld words, %ld times\n", words, most);
    return 0;
}
