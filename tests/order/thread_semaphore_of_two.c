// race: the semaphore lets both threads in.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t free_places;
static int x;

static void *first(void *unused) {
    sem_wait(&free_places);
    x++; // race
    usleep(50000);
    sem_post(&free_places);
    return unused;
}

static void *second(void *unused) {
    usleep(20000);
    sem_wait(&free_places);
    x++; // race
    sem_post(&free_places);
    return unused;
}

int main(void) {
    pthread_t one, two;
    sem_init(&free_places, 0, 2);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", x);
}
