// race: a thread writes to the other one's variable.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static _Thread_local int own;
static int *_Atomic shared;
static int x;

static void *first(void *unused) {
    atomic_store_explicit(&shared, &own, memory_order_relaxed);
    usleep(20000);
    own = 1; // race
    usleep(50000);
    return unused;
}

static void *second(void *unused) {
    int *other;
    while (!(other = atomic_load_explicit(&shared, memory_order_relaxed)))
        ;
    *other = 2; // race
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
