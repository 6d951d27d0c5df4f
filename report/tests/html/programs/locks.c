// Threads that take a lock again and again: THREADS ROUNDS. Each round has two tasks.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum, rounds;

// The name would be markup if it were not escaped.
static void *work(void *argument) __asm__("work</td><img src=x onerror=window.pathprofBroken=1>'\"");

static void *work(void *argument) {
    for (unsigned long round = 0; round < rounds; round++) {
        pthread_mutex_lock(&lock);
        sum += round % 7;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(int count, char **arguments) {
    pthread_t threads[16];
    int members = count > 1 ? atoi(arguments[1]) : 2;
    rounds = count > 2 ? strtoul(arguments[2], NULL, 10) : 10;
    for (int at = 0; at < members; at++)
        pthread_create(&threads[at], NULL, work, NULL);
    for (int at = 0; at < members; at++)
        pthread_join(threads[at], NULL);
    printf("%lu\n", sum);
    return 0;
}
