// clean: the second thread waits for the first one.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static int x;

static void *first(void *unused) {
    x = 1;
    sem_post(&done);
    return unused;
}

static void *second(void *unused) {
    sem_wait(&done);
    x = 2;
    return unused;
}

int main(void) {
    pthread_t one, two;
    sem_init(&done, 0, 0);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", x);
}
