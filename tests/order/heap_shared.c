// race: both threads write one live block.
#include <pthread.h>
#include <stdlib.h>

static volatile long *shared;

static void *work(void *unused) {
    long *own = malloc(64);
    *own = 1;
    free(own);
    *shared = 1; // race
    return unused;
}

int main(void) {
    pthread_t one, two;
    shared = malloc(64);
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    free((void *)shared);
}
