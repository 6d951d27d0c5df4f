// Where a word stands in a text (Knuth, Morris and Pratt): WORD TEXT.
// Bug in prepare: after a mismatch shorter ends of the word are not tried.
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 };

static int ends[LONGEST];

static void prepare(const char *word, int length) {
    int matched = 0;
    ends[0] = 0;
    for (int at = 1; at < length; at++) {
        while (matched > 0 && word[matched] != word[at]) {
#ifdef BUG
            matched = 0; /* bug */
#else
            matched = ends[matched - 1];
#endif
        }
        if (word[matched] == word[at])
            matched++;
        ends[at] = matched;
    }
}

static int next(const char *word, int matched, char letter) {
    while (matched > 0 && word[matched] != letter)
        matched = ends[matched - 1];
    if (word[matched] == letter)
        matched++;
    return matched;
}

static void tell(int place, int *found) {
    if (*found > 0)
        printf(" ");
    printf("%d", place);
    ++*found;
}

static int search(const char *word, int length, const char *text) {
    int matched = 0, found = 0;
    for (int at = 0; text[at] != '\0'; at++) {
        matched = next(word, matched, text[at]);
        if (matched == length) {
            tell(at - length + 1, &found);
            matched = ends[matched - 1];
        }
    }
    return found;
}

int main(int count, char **words) {
    if (count != 3)
        return 2;
    int length = (int)strlen(words[1]);
    if (length == 0 || length > LONGEST) {
        puts("no word");
        return 0;
    }
    prepare(words[1], length);
    printf(" (%d)\n", search(words[1], length, words[2]));
    return 0;
}
