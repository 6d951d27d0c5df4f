// race: the thread is not waited for.
// level: -O0
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int x;

static void *first(void *unused) {
    x = 1; // race
    return unused;
}

int main(void) {
    pthread_t one;
    pthread_create(&one, NULL, first, NULL);
    pthread_detach(one);
    usleep(50000);
    x = 2; // race
    printf("%d\n", x);
}
