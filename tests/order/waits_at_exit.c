// clean: threads that still wait for a condition when the process ends have given the lock back.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
static int waiting, total;

static void *serve(void *unused) {
    pthread_mutex_lock(&lock);
    total += 10;
    waiting++;
    pthread_cond_signal(&idle);
    for (;;)
        pthread_cond_wait(&work, &lock);
    return unused;
}

int main(void) {
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, serve, 0);
        pthread_detach(thread);
    }
    pthread_mutex_lock(&lock);
    while (waiting < 4)
        pthread_cond_wait(&idle, &lock);
    printf("%d\n", total);
    pthread_mutex_unlock(&lock);
    exit(0);
}
