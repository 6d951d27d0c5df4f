// race: a volatile flag is an ordinary variable.
#include <pthread.h>
#include <stdio.h>

static volatile int flag;
static int x;
static int y;

static void *first(void *unused) {
    x = 1; // race
    flag = 1; // race
    return unused;
}

static void *second(void *unused) {
    while (!flag) // race
        ;
    y = x; // race
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
