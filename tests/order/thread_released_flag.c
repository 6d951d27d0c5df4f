// clean: a flag that is stored with release publishes the data.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;
static int x;
static int y;

static void *first(void *unused) {
    x = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *second(void *unused) {
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    y = x;
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
