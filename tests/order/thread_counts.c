// race: two threads add to a variable.
#include <pthread.h>
#include <stdio.h>

static int x;

static void *first(void *unused) {
    x++; // race
    return unused;
}

static void *second(void *unused) {
    x++; // race
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
