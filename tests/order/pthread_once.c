// clean: `pthread_once`.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;

static void make(void) {
    usleep(500);
    value = 7;
}

static void *work(void *unused) {
    pthread_once(&once, make);
    if (value != 7)
        puts("early");
    return unused;
}

int main(void) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], 0);
}
