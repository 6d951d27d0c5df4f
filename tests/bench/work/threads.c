// Work for threads: `threads THREADS STEPS`. All run the same hot functions; the steps are shared out among them.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t mix(uint32_t x) {
    if (x & 1)
        x = x * 3 + 1;
    else
        x >>= 1;
    if (x & 0x8000)
        x ^= 0x1021;
    return x;
}

struct work {
    long steps;
    uint32_t seed, sum;
};

static void *run(void *argument) {
    struct work *work = argument;
    uint32_t x = work->seed;
    for (long i = 0; i < work->steps; i++) {
        x = mix(x);
        if (x < 7)
            x = (uint32_t)i * 2654435761u | 1;
        work->sum += x;
    }
    return NULL;
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    long steps = argc > 2 ? atol(argv[2]) : 100000000;
    pthread_t ids[64];
    struct work works[64];
    if (threads < 1 || threads > 64)
        return 2;
    for (int i = 0; i < threads; i++) {
        works[i] = (struct work){steps / threads, (uint32_t)i * 77 + 27, 0};
        pthread_create(&ids[i], NULL, run, &works[i]);
    }
    uint32_t sum = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        sum += works[i].sum;
    }
    printf("%u\n", sum);
    return 0;
}
