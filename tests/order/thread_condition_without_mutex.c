// race: the predicate is written without the mutex.
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int x;

static void *first(void *unused) {
    usleep(20000);
    x = 1; // race
    pthread_cond_signal(&changed);
    return unused;
}

static void *second(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&a);
    while (!x && !pthread_cond_timedwait(&changed, &a, &until)) // race
        ;
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", x);
}
