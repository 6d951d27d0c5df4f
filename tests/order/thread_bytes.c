// clean: the threads write bytes of their own.
#include <pthread.h>
#include <stdio.h>

static char bytes[8];
static int x;

static void *first(void *unused) {
    bytes[0] = 1;
    return unused;
}

static void *second(void *unused) {
    bytes[1] = 1;
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
