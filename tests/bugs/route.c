// The length of the shortest way from a to the last place (Dijkstra): PLACES, then a7b for a way of 7...
// Bug in relax: a place that is waiting keeps the first way that was found.
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8, FAR = 1000000 };

static int lengths[MOST][MOST];
static int distance[MOST], is_waiting[MOST], is_done[MOST];

static void relax(int place, int length) {
    if (is_done[place] || length >= distance[place])
        return;
    if (is_waiting[place]) {
#ifndef BUG
        distance[place] = length;
#endif
        return; /* bug */
    }
    distance[place] = length;
    is_waiting[place] = 1;
}

static int nearest(int places) {
    int best = -1;
    for (int place = 0; place < places; place++) {
        if (!is_waiting[place])
            continue;
        if (best < 0 || distance[place] < distance[best])
            best = place;
    }
    return best;
}

static void visit(int place, int places) {
    is_waiting[place] = 0;
    is_done[place] = 1;
    for (int next = 0; next < places; next++)
        if (lengths[place][next] > 0)
            relax(next, distance[place] + lengths[place][next]);
}

static int road(const char *text, int places) {
    char *end;
    int from = text[0] - 'a';
    int length = (int)strtol(text + 1, &end, 10);
    int to = *end - 'a';
    if (from < 0 || from >= places || to < 0 || to >= places || length <= 0)
        return 0;
    if (lengths[from][to] == 0 || length < lengths[from][to])
        lengths[from][to] = length;
    return 1;
}

int main(int count, char **words) {
    int places = count > 1 ? atoi(words[1]) : 0;
    if (places < 1 || places > MOST)
        return 2;
    for (int n = 2; n < count; n++)
        if (!road(words[n], places))
            printf("no road: %s\n", words[n]);
    for (int place = 0; place < places; place++)
        distance[place] = FAR;
    relax(0, 0);
    for (int place; (place = nearest(places)) >= 0;)
        visit(place, places);
    if (is_done[places - 1])
        printf("%d\n", distance[places - 1]);
    else
        puts("no way");
    return 0;
}
