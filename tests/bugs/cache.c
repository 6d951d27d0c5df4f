// A cache of three pairs that forgets the one used least recently: gKEY (get), pKEY (put) ...
// Bug in put: a pair that is put again is not used thereby.
#include <stdio.h>

enum { ROOM = 3 };

static char keys[ROOM];
static int values[ROOM];
static int used;
static int hits, misses;

static int find(char key) {
    for (int at = 0; at < used; at++)
        if (keys[at] == key)
            return at;
    return -1;
}

/* Puts a pair to the front, where those used last are. */
static void use(int at) {
    char key = keys[at];
    int value = values[at];
    for (; at > 0; at--) {
        keys[at] = keys[at - 1];
        values[at] = values[at - 1];
    }
    keys[0] = key;
    values[0] = value;
}

static void forget(void) {
    used--;
}

static void put(char key, int value) {
    int at = find(key);
    if (at >= 0) {
        values[at] = value; /* bug */
#ifndef BUG
        use(at);
#endif
        return;
    }
    if (used == ROOM)
        forget();
    keys[used] = key;
    values[used] = value;
    used++;
    use(used - 1);
}

static void get(char key) {
    int at = find(key);
    if (at < 0) {
        misses++;
        printf("%c? ", key);
        return;
    }
    hits++;
    printf("%c=%d ", key, values[at]);
    use(at);
}

int main(int count, char **words) {
    for (int n = 1; n < count; n++) {
        if (words[n][0] == 'p')
            put(words[n][1], n);
        else
            get(words[n][1]);
    }
    printf("%d hits, %d misses\n", hits, misses);
    return 0;
}
