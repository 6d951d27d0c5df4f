// possible: the mutex has nothing to do with the variable, but its turns order both threads.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int y, z;

static void *first(void *unused) {
    x = 1; // race
    pthread_mutex_lock(&a);
    y = 1;
    pthread_mutex_unlock(&a);
    return unused;
}

static void *second(void *unused) {
    usleep(20000);
    pthread_mutex_lock(&a);
    z = 1;
    pthread_mutex_unlock(&a);
    x = 2; // race
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
