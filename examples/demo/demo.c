// Scans a text that it makes up itself and counts words, numbers and comments. Which way through the loop
// of scan() do most characters take? `pathprof report` answers with the lines of the hottest paths.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum state { BETWEEN, WORD, NUMBER, COMMENT };

struct totals {
    long words, numbers, comments, lines, longest_word;
};

static uint64_t random_state = 88172645463325252u;

static unsigned random_below(unsigned limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state % limit);
}

// Mostly letters, some digits and blanks, now and then the end of a line or the start of a comment.
static void make_text(char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned dice = random_below(100);
        if (dice < 70)
            text[i] = (char)('a' + random_below(26));
        else if (dice < 80)
            text[i] = (char)('0' + random_below(10));
        else if (dice < 97)
            text[i] = ' ';
        else
            text[i] = random_below(8) == 0 ? '#' : '\n';
    }
}

static struct totals scan(const char *text, size_t length) {
    struct totals totals = {0, 0, 0, 0, 0};
    enum state state = BETWEEN;
    long word = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '\n') {
            totals.lines++;
            state = BETWEEN;
        } else if (state == COMMENT) {
            continue;
        } else if (c == '#') {
            totals.comments++;
            state = COMMENT;
        } else if (c == ' ') {
            state = BETWEEN;
        } else if (state == BETWEEN) {
            word = 1;
            if (c >= '0' && c <= '9') {
                totals.numbers++;
                state = NUMBER;
            } else {
                totals.words++;
                state = WORD;
            }
        } else if (state == WORD && ++word > totals.longest_word) {
            totals.longest_word = word;
        }
    }
    return totals;
}

int main(int argc, char **argv) {
    size_t length = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    char *text = malloc(length);
    if (text == NULL)
        return 1;
    make_text(text, length);
    struct totals t = scan(text, length);
    printf("%ld words, %ld numbers, %ld comments, %ld lines, longest word %ld\n", t.words, t.numbers, t.comments,
           t.lines, t.longest_word);
    free(text);
    return 0;
}
