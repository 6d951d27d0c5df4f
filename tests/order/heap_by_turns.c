// clean: threads that share nothing get each other's blocks from the allocator.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *number) {
    long sum = 0;
    for (int turn = 0; turn < 200; turn++) {
        long *block = malloc(2000);
        for (int i = 0; i < 250; i++)
            block[i] = (long)number + i;
        sum += block[turn];
        free(block);
    }
    return (void *)sum;
}

int main(void) {
    pthread_t threads[8];
    long sum = 0;
    for (long round = 0; round < 4; round++) {
        for (long i = 0; i < 8; i++)
            pthread_create(&threads[i], 0, work, (void *)i);
        for (int i = 0; i < 8; i++) {
            void *result;
            pthread_join(threads[i], &result);
            sum += (long)result;
        }
    }
    printf("%ld\n", sum);
}
