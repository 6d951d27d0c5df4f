// clean: who sees by the mutex that the data is there, uses it.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int ready;

static void *first(void *unused) {
    x = 1;
    pthread_mutex_lock(&a);
    ready = 1;
    pthread_mutex_unlock(&a);
    return unused;
}

static void *second(void *unused) {
    int seen;
    usleep(20000);
    pthread_mutex_lock(&a);
    seen = ready;
    pthread_mutex_unlock(&a);
    if (seen)
        x = 2;
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
