// clean: the second thread frees what the first one made, and the third gets it again.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long *mailbox[100];
static int filled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *make(void *unused) {
    for (int i = 0; i < 100; i++) {
        long *block = malloc(64);
        *block = i;
        pthread_mutex_lock(&lock);
        mailbox[filled++] = block;
        pthread_cond_signal(&ready);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *take(void *unused) {
    long sum = 0;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        while (filled <= i)
            pthread_cond_wait(&ready, &lock);
        long *block = mailbox[i];
        pthread_mutex_unlock(&lock);
        sum += *block;
        free(block);
    }
    printf("%ld\n", sum);
    return unused;
}

static void *other(void *unused) {
    long *blocks[100];
    for (int i = 0; i < 100; i++) {
        blocks[i] = malloc(64);
        *blocks[i] = i;
    }
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    return unused;
}

int main(void) {
    void *(*work[])(void *) = {make, take, other, other};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work[i], 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
}
