// The union of intervals: FIRST LAST ...
// Bug in unite: an interval inside another one ends that one.
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int first, last;
} Interval;

static void swap(Interval *one, Interval *other) {
    Interval old = *one;
    *one = *other;
    *other = old;
}

static int is_before(const Interval *one, const Interval *other) {
    if (one->first != other->first)
        return one->first < other->first;
    return one->last < other->last;
}

static void sort(Interval *all, int count) {
    for (int n = 1; n < count; n++)
        for (int at = n; at > 0 && is_before(&all[at], &all[at - 1]); at--)
            swap(&all[at], &all[at - 1]);
}

static int unite(Interval *all, int count) {
    int kept = 0;
    for (int n = 1; n < count; n++) {
        if (all[n].first > all[kept].last + 1) {
            all[++kept] = all[n];
        } else if (all[n].last > all[kept].last) {
            all[kept].last = all[n].last;
        } else {
#ifdef BUG
            all[kept].last = all[n].last; /* bug */
#endif
        }
    }
    return kept + 1;
}

static int total(const Interval *all, int count) {
    int sum = 0;
    for (int n = 0; n < count; n++)
        sum += all[n].last - all[n].first + 1;
    return sum;
}

static int read(char **words, int count, Interval *all) {
    int kept = 0;
    for (int n = 0; n + 1 < count; n += 2) {
        Interval one = {atoi(words[n]), atoi(words[n + 1])};
        if (one.first <= one.last)
            all[kept++] = one;
    }
    return kept;
}

int main(int count, char **words) {
    Interval all[64];
    int known = read(words + 1, count - 1 < 128 ? count - 1 : 128, all);
    if (known == 0) {
        puts("nothing");
        return 0;
    }
    sort(all, known);
    int left = unite(all, known);
    for (int n = 0; n < left; n++)
        printf("%d-%d ", all[n].first, all[n].last);
    printf("= %d\n", total(all, left));
    return 0;
}
