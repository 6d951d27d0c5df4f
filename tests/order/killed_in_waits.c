// clean: threads hand on a number by conditions and semaphores until the process is killed.
// killed: yes
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

enum { THREADS = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static volatile long turn, taken;

static void *turns(void *number) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (turn % 2 != (long)number)
            pthread_cond_wait(&turned, &lock);
        turn++;
        pthread_cond_broadcast(&turned);
        pthread_mutex_unlock(&lock);
    }
    return number;
}

static void *takes(void *number) {
    for (;;) {
        sem_wait(&posted);
        taken++;
        sem_post(&posted);
    }
    return number;
}

int main(void) {
    pthread_t threads[THREADS];
    sem_init(&posted, 0, 1);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, i < 2 ? turns : takes, (void *)i);
    usleep(20000);
    kill(getpid(), SIGKILL);
}
