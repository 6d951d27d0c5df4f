// Answers a line of its input at a time, as a server does: see docs/live.md.
#include <stdio.h>
#include <string.h>

static int get(const char *key) { return key[0] == '/' ? 200 : 404; }

static int put(const char *key) { return strlen(key) > 8 ? 413 : 201; }

int handle(const char *line) {
    if (!strncmp(line, "GET ", 4))
        return get(line + 4);
    if (!strncmp(line, "PUT ", 4))
        return put(line + 4);
    return 400;
}

int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        printf("%d\n", handle(line));
        fflush(stdout);
    }
    return 0;
}
