// Many threads that do nearly nothing, ten at a time: short_threads NUMBER.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { AT_ONCE = 10 };

static long *results;

static void *work(void *number) {
    long of = (intptr_t)number;
    results[of] = of * of;
    return NULL;
}

int main(int count, char **words) {
    long threads = count > 1 ? atol(words[1]) : AT_ONCE;
    results = calloc((size_t)threads + AT_ONCE, sizeof *results);
    for (long first = 0; first < threads; first += AT_ONCE) {
        pthread_t of[AT_ONCE];
        for (long i = 0; i < AT_ONCE; i++)
            pthread_create(&of[i], NULL, work, (void *)(intptr_t)(first + i));
        for (long i = 0; i < AT_ONCE; i++)
            pthread_join(of[i], NULL);
    }
    long sum = 0;
    for (long i = 0; i < threads; i++)
        sum += results[i];
    printf("%ld\n", sum);
    free(results);
}
