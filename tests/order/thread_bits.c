// race: the threads write bits of one byte.
#include <pthread.h>
#include <stdio.h>

static struct {
    unsigned one : 1, other : 1;
} bits;
static int x;

static void *first(void *unused) {
    bits.one = 1; // race
    return unused;
}

static void *second(void *unused) {
    bits.other = 1; // race
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
