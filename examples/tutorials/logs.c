// Counts the characters of a log's warnings. Tabs in them are expanded, so that columns line up.
#include <stdio.h>
#include <string.h>

enum { LINES = 20000, LONGEST = 400, TAB = 8 };

static unsigned random_below(unsigned bound) {
    static unsigned state = 1;
    state = state * 1103515245u + 12345u;
    return (state >> 16) % bound;
}

// Makes a line as programs write it: the debug messages have a table in them.
static void next_line(char *line) {
    unsigned kind = random_below(100);
    if (kind < 30) {
        strcpy(line, "D state");
        for (unsigned columns = 10 + random_below(20); columns > 0; columns--)
            strcat(line, "\tvalue");
    } else if (kind < 90) {
        strcpy(line, "I request served");
    } else {
        strcpy(line, kind < 91 ? "W slow\tretry" : "W slow answer");
    }
}

static int has_tab(const char *text) {
    while (*text && *text != '\t')
        text++;
    return *text != 0;
}

// Copies a text with blanks up to the next column instead of each tab.
static void expand(const char *text, char *out) {
    int column = 0;
    for (; *text; text++) {
        if (*text != '\t') {
            out[column++] = *text;
            continue;
        }
        do
            out[column++] = ' ';
        while (column % TAB);
    }
    out[column] = 0;
}

// The number of characters to print of a line: none, unless it is a warning.
static size_t handle(const char *line) {
    char expanded[LONGEST];
    const char *text = line;
    if (has_tab(line)) {
        expand(line, expanded);
        text = expanded;
    }
    if (line[0] != 'W')
        return 0;
    return strlen(text);
}

int main(void) {
    char line[LONGEST];
    size_t characters = 0;
    for (int i = 0; i < LINES; i++) {
        next_line(line);
        characters += handle(line);
    }
    printf("%zu characters\n", characters);
    return 0;
}
