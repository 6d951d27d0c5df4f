// Sorts records by a heap, and merges events by another: comparisons that no processor can predict.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct record {
    uint32_t key, value;
};

static int before(const struct record *a, const struct record *b) {
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

static void down(struct record *heap, size_t at, size_t end) {
    struct record moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < end; at = child) {
        if (child + 1 < end && before(&heap[child], &heap[child + 1]))
            child++;
        if (!before(&moved, &heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void up(struct record *heap, size_t at) {
    struct record moved = heap[at];
    while (at > 0 && before(&heap[(at - 1) / 2], &moved)) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moved;
}

static void sort(struct record *heap, size_t n) {
    for (size_t i = n / 2; i-- > 0;)
        down(heap, i, n);
    for (size_t end = n; end-- > 1;) {
        struct record greatest = heap[0];
        heap[0] = heap[end];
        heap[end] = greatest;
        down(heap, 0, end);
    }
}

int main(int argc, char **argv) {
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000000;
    struct record *records = malloc((n + 1) * sizeof *records);
    if (records == NULL)
        return 1;
    uint32_t seed = 21, sum = 0;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        records[i] = (struct record){seed >> 8, (uint32_t)i};
    }
    sort(records, n);
    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + records[i].value;
    for (size_t i = 1; i < n; i++)
        up(records, i);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        records[0].key -= seed >> 12;
        down(records, 0, n);
        sum = sum * 31 + records[0].value;
    }
    printf("heap %u\n", sum);
    free(records);
    return 0;
}
