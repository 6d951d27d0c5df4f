// race: the mutexes are two.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *first(void *unused) {
    pthread_mutex_lock(&a);
    x++; // race
    pthread_mutex_unlock(&a);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&b);
    x++; // race
    pthread_mutex_unlock(&b);
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
