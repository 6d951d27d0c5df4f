// String search three ways (naive, Horspool, and a small glob matcher with backtracking): loops with early exits.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long naive(const char *text, long n, const char *word, long m) {
    long found = 0;
    for (long i = 0; i + m <= n; i++) {
        long j = 0;
        while (j < m && text[i + j] == word[j])
            j++;
        found += j == m;
    }
    return found;
}

static long horspool(const char *text, long n, const char *word, long m) {
    long shift[256], found = 0;
    for (int c = 0; c < 256; c++)
        shift[c] = m;
    for (long j = 0; j + 1 < m; j++)
        shift[(unsigned char)word[j]] = m - 1 - j;
    for (long i = 0; i + m <= n; i += shift[(unsigned char)text[i + m - 1]]) {
        long j = m - 1;
        while (j >= 0 && text[i + j] == word[j])
            j--;
        found += j < 0;
    }
    return found;
}

static int glob(const char *pattern, const char *text, const char *end) {
    for (;; pattern++, text++) {
        switch (*pattern) {
        case '\0':
            return 1;
        case '*':
            for (const char *rest = text; rest < end && rest < text + 24; rest++)
                if (glob(pattern + 1, rest, end))
                    return 1;
            return 0;
        case '?':
            if (text == end)
                return 0;
            break;
        default:
            if (text == end || *text != *pattern)
                return 0;
        }
    }
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 50000000, globs = 0;
    char *text = malloc((size_t)n + 1);
    if (text == NULL)
        return 1;
    unsigned seed = 99;
    for (long i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = "etaoinshr  "[(seed >> 24) % 11];
    }
    text[n] = '\0';
    const char *words[] = {"the", "nation", "shore", "on a"};
    for (int w = 0; w < 4; w++) {
        long m = (long)strlen(words[w]);
        printf("match %s %ld %ld\n", words[w], naive(text, n, words[w], m), horspool(text, n, words[w], m));
    }
    for (long i = 0; i < n; i++)
        globs += glob("t?e*no*r", text + i, text + n);
    printf("match glob %ld\n", globs);
    free(text);
    return 0;
}
