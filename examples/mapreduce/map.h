// Splits `n` items among threads: `part(from, to, thread)` handles one share. One thread means none but the caller's.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_THREADS = 64 };

typedef void (*part_function)(long from, long to, int thread);

struct share {
    part_function part;
    long from, to;
    int thread;
};

static void *start(void *argument) {
    struct share *share = argument;
    share->part(share->from, share->to, share->thread);
    return NULL;
}

static void map(part_function part, long n, int threads) {
    pthread_t ids[MOST_THREADS];
    struct share shares[MOST_THREADS];
    if (threads < 2) {
        part(0, n, 0);
        return;
    }
    for (int i = 0; i < threads; i++) {
        shares[i] = (struct share){part, n * i / threads, n * (i + 1) / threads, i};
        if (pthread_create(&ids[i], NULL, start, &shares[i]) != 0)
            abort();
    }
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

static long argument(int argc, char **argv, int at, long otherwise) {
    return argc > at ? atol(argv[at]) : otherwise;
}

static int threads_wanted(int argc, char **argv) {
    long threads = argument(argc, argv, 2, 1);
    return threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : (int)threads;
}

// The same number for the same item in every run.
static uint32_t dice(long item) {
    uint64_t x = (uint64_t)item * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32);
}
