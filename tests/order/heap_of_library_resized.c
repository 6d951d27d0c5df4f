// clean: the C library makes a line longer, and another thread gets the memory that it leaves.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Says whose turn it is, and orders nothing.
_Atomic int turn;
char text[30000];

void *work(void *number) {
    int me = (int)(long)number;
    while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
        sched_yield();
    FILE *file = fmemopen(text, sizeof text, "r");
    char *line = NULL;
    size_t size = 0;
    long sum = 0;
    ssize_t length;
    while ((length = getline(&line, &size, file)) > 0)
        for (ssize_t i = 0; i < length; i += 10)
            sum += line[i]++;
    free(line);
    fclose(file);
    atomic_store_explicit(&turn, me + 1, memory_order_relaxed);
    return (void *)sum;
}

int main(void) {
    mallopt(M_ARENA_MAX, 1);
    memset(text, 'x', sizeof text);
    for (size_t i = 2000, step = 4000; i < sizeof text; i += step, step += 4000)
        text[i - 1] = '\n';
    text[sizeof text - 1] = '\n';
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
