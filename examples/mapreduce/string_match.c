// Looks for keys among made-up words, after a cheap transformation of each.
#include "map.h"
#include <string.h>

enum { LENGTH = 8 };

static const char *const keys[] = {"aaaaaaaa", "helloyou", "bcbcbcbc", "acbdacbd"};
static char wanted[4][LENGTH + 1];
static long found[MOST_THREADS], close_ones[MOST_THREADS];

static void transform(const char *word, char *to) {
    for (int i = 0; i < LENGTH; i++)
        to[i] = word[i] == 'z' ? 'a' : (char)(word[i] + 1);
    to[LENGTH] = '\0';
}

static int is_wanted(const char *word) {
    for (int key = 0; key < 4; key++)
        if (strcmp(word, wanted[key]) == 0)
            return 1;
    return 0;
}

static void look_at(long item, int thread) {
    char word[LENGTH + 1], transformed[LENGTH + 1];
    uint32_t letters = dice(item);
    for (int i = 0; i < LENGTH; i++)
        word[i] = (char)('a' + (letters >> i * 2 & 3));
    word[LENGTH] = '\0';
    transform(word, transformed);
    if (is_wanted(transformed))
        found[thread]++;
    else if (transformed[0] == wanted[0][0])
        close_ones[thread]++;
}

static void look_part(long from, long to, int thread) {
    for (long i = from; i < to; i++)
        look_at(i, thread);
}

int main(int argc, char **argv) {
    long n = argument(argc, argv, 1, 500000), all = 0, near_all = 0;
    for (int key = 0; key < 4; key++)
        transform(keys[key], wanted[key]);
    map(look_part, n, threads_wanted(argc, argv));
    for (int thread = 0; thread < MOST_THREADS; thread++) {
        all += found[thread];
        near_all += close_ones[thread];
    }
    printf("%ld found, %ld nearly\n", all, near_all);
    return 0;
}
