// race: the argument is changed when the thread has begun.
#include <pthread.h>
#include <stdio.h>

static void *first(void *argument) {
    printf("%d\n", *(int *)argument); // race
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    int number;
    for (number = 0; number < 4; number++) // race
        pthread_create(&threads[number], NULL, first, &number);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}
