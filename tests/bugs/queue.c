// A queue in a ring that grows: a number is put, `-` takes one ...
// Bug in grow: of a ring that goes around, one number is left behind.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *ring;
static int room, first, used;

static void grow(void) {
    int more = room == 0 ? 2 : room * 2;
    int *longer = calloc((size_t)more, sizeof *longer);
    int to_end = room - first;
    if (first == 0 || used <= to_end) {
        for (int n = 0; n < used; n++)
            longer[n] = ring[first + n];
    } else {
        for (int n = 0; n < to_end; n++)
            longer[n] = ring[first + n];
        for (int n = 0; n < used - to_end; n++)
#ifdef BUG
            longer[to_end + n] = ring[n + 1]; /* bug */
#else
            longer[to_end + n] = ring[n];
#endif
    }
    free(ring);
    ring = longer;
    room = more;
    first = 0;
}

static int wrapped(int at) {
    return at >= room ? at - room : at;
}

static void push(int number) {
    if (used == room)
        grow();
    ring[wrapped(first + used)] = number;
    used++;
}

static int pop(int *number) {
    if (used == 0)
        return 0;
    *number = ring[first];
    first = wrapped(first + 1);
    used--;
    return 1;
}

static void show(void) {
    for (int n = 0; n < used; n++)
        printf("%d ", ring[wrapped(first + n)]);
    printf("(%d)\n", used);
}

int main(int count, char **words) {
    for (int n = 1; n < count; n++) {
        int number;
        if (strcmp(words[n], "-") != 0)
            push(atoi(words[n]));
        else if (pop(&number))
            printf("<%d ", number);
        else
            printf("<none ");
    }
    show();
    return 0;
}
