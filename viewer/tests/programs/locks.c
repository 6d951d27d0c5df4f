// Threads that each take a lock of their own again and again: THREADS ROUNDS. Each round has two
// tasks.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct own {
    pthread_mutex_t lock;
    unsigned long sum;
} owned[16];
static unsigned long rounds;

// The name would be markup if it were not escaped.
static void *work(void *argument) __asm__("work</td><img src=x onerror=window.pathprofBroken=1>'\"");

static void *work(void *argument) {
    struct own *own = argument;
    for (unsigned long round = 0; round < rounds; round++) {
        pthread_mutex_lock(&own->lock);
        own->sum += round % 7;
        pthread_mutex_unlock(&own->lock);
    }
    return argument;
}

int main(int count, char **arguments) {
    pthread_t threads[16];
    int members = count > 1 ? atoi(arguments[1]) : 2;
    rounds = count > 2 ? strtoul(arguments[2], NULL, 10) : 10;
    unsigned long sum = 0;
    for (int at = 0; at < members; at++) {
        pthread_mutex_init(&owned[at].lock, NULL);
        pthread_create(&threads[at], NULL, work, &owned[at]);
    }
    for (int at = 0; at < members; at++) {
        pthread_join(threads[at], NULL);
        sum += owned[at].sum;
    }
    printf("%lu\n", sum);
    return 0;
}
