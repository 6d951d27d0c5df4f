// clean: `realloc` gives back the block that it moves from, and gives out another one.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *number) {
    long sum = 0;
    for (int turn = 0; turn < 20; turn++) {
        long *block = 0;
        for (int size = 1; size <= 100; size++) {
            block = realloc(block, size * 40 * sizeof(long));
            block[size * 40 - 1] = (long)number;
            sum += block[size * 20];
            block[size * 20] = size;
        }
        free(block);
    }
    return (void *)(sum & 0);
}

int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
}
