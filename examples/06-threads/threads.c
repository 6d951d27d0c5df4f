// Four threads run the same function; every path is counted, and none twice.
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 1000000 };

static unsigned work(unsigned seed) {
    unsigned odd = 0;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (seed >> 31)
            odd++;
    }
    return odd;
}

static void *start(void *argument) {
    unsigned *cell = argument;
    *cell = work(*cell);
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    unsigned cell[THREADS], sum = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        cell[i] = i;
        pthread_create(&thread[i], NULL, start, &cell[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += cell[i];
    }
    printf("%u of %d\n", sum, THREADS * ROUNDS);
    return 0;
}
