// The fields of a line of comma-separated values, which may stand in quotes: LINE.
// Bug in quoted: of two quotes in quotes, which stand for one, the second ends the field.
#include <stdio.h>

enum { LONGEST = 256 };

static const char *at;
static char field[LONGEST];
static int length;

static void add(char letter) {
    if (length < LONGEST - 1)
        field[length++] = letter;
}

static int quoted(void) {
    at++;
    for (;;) {
        if (*at == '\0')
            return 0;
        if (*at == '"') {
            if (at[1] != '"') {
                at++;
                return 1;
            }
#ifdef BUG
            at += 1; /* bug */
#else
            at += 2;
#endif
            add('"');
            continue;
        }
        add(*at++);
    }
}

static int plain(void) {
    while (*at != '\0' && *at != ',') {
        if (*at == '"')
            return 0;
        add(*at++);
    }
    return 1;
}

static int read_field(void) {
    length = 0;
    if (*at == '"')
        return quoted();
    return plain();
}

static int is_number(void) {
    for (int n = 0; n < length; n++)
        if (field[n] < '0' || field[n] > '9')
            return 0;
    return length > 0;
}

static int error(const char *what) {
    printf("error: %s\n", what);
    return 0;
}

int main(int count, char **words) {
    if (count != 2)
        return 2;
    at = words[1];
    for (;;) {
        if (!read_field())
            return error("a quote is wrong");
        field[length] = '\0';
        printf(is_number() ? "%s\n" : "'%s'\n", field);
        if (*at == '\0')
            return 0;
        if (*at++ != ',')
            return error("a comma is missing");
    }
}
