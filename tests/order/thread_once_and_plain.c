// race: one thread writes outside of the function that is called once.
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int x;

static void make(void) {
    x = 1; // race
}

static void *first(void *unused) {
    pthread_once(&once, make);
    return unused;
}

static void *second(void *unused) {
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
