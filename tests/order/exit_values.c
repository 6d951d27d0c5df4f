// clean: `pthread_exit` hands over what the joiner reads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *number) {
    long *result = malloc(sizeof *result);
    *result = (long)number;
    if ((long)number % 2)
        pthread_exit(result);
    return result;
}

int main(void) {
    long sum = 0;
    for (long i = 0; i < 20; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, 0, work, (void *)i);
        pthread_join(thread, &result);
        sum += *(long *)result;
        free(result);
    }
    printf("%ld\n", sum);
}
