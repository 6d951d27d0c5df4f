#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
static sem_t ready;
static int cleaned;
static void clean(void *data) { cleaned++; }
static void *run(void *data) {
    pthread_cleanup_push(clean, 0);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, 0);
    sem_post(&ready);
    for (;;) pause();
    pthread_cleanup_pop(1);
    return 0;
}
int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, run, 0);
    sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d %d\n", cleaned, result == PTHREAD_CANCELED);
}
