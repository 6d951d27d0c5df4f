// How fast threads fill a file: bandwidth FILE MEGABYTES THREADS WAY prints megabytes per second.
//
//     touch     a mapping whose pages are new
//     again     the same mapping for the second time
//     populate  a mapping whose pages were asked for, a quarter of a megabyte at once
//     write     by calls of write, from memory that stays as it is
//     chunk     by calls of write, from memory that is filled and emptied each time
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 1 << 18 };

static int file;
static const char *way;

struct part {
    char *mapping;
    size_t from, to;
};

static void *fill(void *argument) {
    const struct part *part = argument;
    char *source = calloc(1, CHUNK);
    if (source == NULL)
        abort();
    for (size_t at = part->from; at < part->to; at += CHUNK) {
        if (strcmp(way, "write") == 0) {
            if (pwrite(file, source, CHUNK, (off_t)at) != CHUNK)
                abort();
            continue;
        }
        if (strcmp(way, "chunk") == 0) {
            for (size_t word = 0; word < CHUNK; word += sizeof(long))
                *(volatile long *)(source + word) = (long)word;
            if (pwrite(file, source, CHUNK, (off_t)at) != CHUNK)
                abort();
            memset(source, 0, CHUNK);
            continue;
        }
        if (strcmp(way, "populate") == 0 &&
            madvise(part->mapping + at, CHUNK, MADV_POPULATE_WRITE) != 0)
            abort();
        // As records are written: word by word.
        for (size_t word = 0; word < CHUNK; word += sizeof(long))
            *(volatile long *)(part->mapping + at + word) = (long)word;
    }
    free(source);
    return NULL;
}

static void fill_all(struct part *parts, int threads) {
    pthread_t ids[64];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, fill, &parts[i]) != 0)
            abort();
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    size_t size = strtoul(argv[2], NULL, 10) << 20;
    int threads = atoi(argv[3]);
    way = argv[4];
    file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || threads < 1 || threads > 64 || ftruncate(file, (off_t)size) != 0)
        return 1;
    char *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED)
        return 1;
    struct part parts[64];
    size_t share = size / (size_t)threads / CHUNK * CHUNK;
    for (int i = 0; i < threads; i++)
        parts[i] = (struct part){mapping, share * (size_t)i, share * (size_t)(i + 1)};
    if (strcmp(way, "again") == 0)
        fill_all(parts, threads);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    fill_all(parts, threads);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%.1f\n", (double)(share * (size_t)threads) / 1e6 / seconds);
    unlink(argv[1]);
    return 0;
}
