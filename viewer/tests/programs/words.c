// Counts words of several kinds; calls through a table of functions.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum kind { WORD, NUMBER, OTHER };

static int classify(int c) {
    switch (c) {
    case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9':
        return NUMBER;
    case '-':
        return OTHER;
    default:
        return isalpha(c) ? WORD : OTHER;
    }
}

static long on_word(const char *text, size_t length) {
    long vowels = 0;
    for (size_t at = 0; at < length; at++) vowels += strchr("aeiou", text[at]) != NULL;
    return vowels;
}

static long on_number(const char *text, size_t length) {
    long value = 0;
    for (size_t at = 0; at < length; at++) {
        if (text[at] == '9' && at == 0) value += 1;
        value = value * 10 + text[at] - '0';
    }
    return value;
}

static long on_other(const char *text, size_t length) {
    if (length > 3 && text[0] == '!') {
        fputs("too many marks\n", stderr);
        fputs("they are not counted\n", stderr);
        for (size_t at = 0; at < length; at++) {
            fputc(text[at], stderr);
            fputc('\n', stderr);
        }
        return -1;
    }
    return 0;
}

static long (*const handlers[])(const char *, size_t) = {on_word, on_number, on_other};

static long scan(const char *line) {
    long sum = 0;
    while (*line) {
        if (isspace((unsigned char)*line)) {
            line++;
            continue;
        }
        int kind = classify((unsigned char)*line);
        const char *end = line;
        while (*end && !isspace((unsigned char)*end) && classify((unsigned char)*end) == kind) end++;
        sum += handlers[kind](line, (size_t)(end - line));
        line = end;
    }
    return sum;
}

int main(void) {
    static const char *const lines[] = {
        "the quick brown fox 1024 jumps", "over 12 lazy dogs - and 99 cats", "", "   spaces   only 7",
    };
    long total = 0;
    for (int round = 0; round < 500; round++)
        for (size_t at = 0; at < sizeof lines / sizeof *lines; at++) total += scan(lines[at]);
    printf("%ld\n", total);
    return total == 0;
}
