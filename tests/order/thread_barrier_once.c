// race: there is no second barrier.
// level: -O0
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int x;
static int y;

static void *first(void *unused) {
    x = 1;
    pthread_barrier_wait(&barrier);
    y = x; // race
    return unused;
}

static void *second(void *unused) {
    pthread_barrier_wait(&barrier);
    x = 2; // race
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", x);
}
