// race: two threads write while they have the lock for reading.
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *first(void *unused) {
    pthread_rwlock_rdlock(&lock);
    x++; // race
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_rwlock_rdlock(&lock);
    x++; // race
    pthread_rwlock_unlock(&lock);
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
