// Numbers as printf writes them: SPECIFICATION (of `-`, `0` and a width) NUMBER ...
// Bug in number: zeros are put before the sign.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int is_left, has_zeros, width;
} Specification;

static Specification parse(const char *text) {
    Specification found = {0, 0, 0};
    for (;; text++) {
        if (*text == '-')
            found.is_left = 1;
        else if (*text == '0')
            found.has_zeros = 1;
        else
            break;
    }
    while (isdigit((unsigned char)*text))
        found.width = found.width * 10 + (*text++ - '0');
    return found;
}

static int digits(int value) {
    int count = 1;
    while (value >= 10) {
        value /= 10;
        count++;
    }
    return count;
}

static void fill(char with, int count) {
    while (count-- > 0)
        putchar(with);
}

static void plain(int value) {
    if (value >= 10)
        plain(value / 10);
    putchar('0' + value % 10);
}

static void number(Specification how, int value) {
    int has_sign = 0;
    char with = ' ';
    if (value < 0) {
        has_sign = 1;
        value = -value;
    }
    int missing = how.width - digits(value) - has_sign;
    if (how.has_zeros && !how.is_left) {
        with = '0'; /* bug */
#ifndef BUG
        if (has_sign) {
            putchar('-');
            has_sign = 0;
        }
#endif
    }
    if (!how.is_left)
        fill(with, missing);
    if (has_sign)
        putchar('-');
    plain(value);
    if (how.is_left)
        fill(' ', missing);
}

int main(int count, char **words) {
    for (int n = 1; n + 1 < count; n += 2) {
        putchar('[');
        number(parse(words[n]), atoi(words[n + 1]));
        putchar(']');
    }
    putchar('\n');
    return 0;
}
