// Which made-up documents link to which address: each thread keeps lists of its own.
#include "map.h"

enum { ADDRESSES = 97, LINKS = 9 };

struct link {
    long document;
    struct link *next;
};

static struct link *index_of[MOST_THREADS][ADDRESSES];

static int is_link(uint32_t token) {
    return token % 4 == 1;
}

static void add_link(struct link **list, long document) {
    struct link *link = malloc(sizeof *link);
    if (link == NULL)
        abort();
    *link = (struct link){document, *list};
    *list = link;
}

static void read_document(long document, int thread) {
    for (int i = 0; i < LINKS; i++) {
        uint32_t token = dice(document * LINKS + i);
        if (is_link(token))
            add_link(&index_of[thread][(token >> 8) % ADDRESSES], document);
    }
}

static void read_part(long from, long to, int thread) {
    for (long document = from; document < to; document++)
        read_document(document, thread);
}

static long weigh(const struct link *list, long address) {
    long sum = 0;
    for (; list != NULL; list = list->next)
        sum += (list->document + 1) * (address + 3);
    return sum;
}

int main(int argc, char **argv) {
    long n = argument(argc, argv, 1, 50000), sum = 0;
    map(read_part, n, threads_wanted(argc, argv));
    for (long address = 0; address < ADDRESSES; address++)
        for (int thread = 0; thread < MOST_THREADS; thread++)
            sum += weigh(index_of[thread][address], address);
    printf("%ld\n", sum);
    return 0;
}
