// clean: a new thread gets the stack of one that has ended, which nobody joins.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t done;
static _Thread_local volatile long own;

static void *work(void *number) {
    volatile long values[100];
    for (int i = 0; i < 100; i++)
        values[i] = (long)number + i;
    own = values[7];
    sem_post(&done);
    return 0;
}

static void *makes(void *unused) {
    for (long i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, (void *)i);
        pthread_detach(thread);
        usleep(200);
    }
    return unused;
}

int main(void) {
    pthread_t makers[2];
    sem_init(&done, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&makers[i], 0, makes, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(makers[i], 0);
    for (int i = 0; i < 40; i++)
        sem_wait(&done);
    puts("done");
}
