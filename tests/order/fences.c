// clean: fences order relaxed accesses.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ready;
static int value;

static void *write(void *unused) {
    value = 7;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *read(void *unused) {
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_acquire);
    printf("%d\n", value);
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&reader, 0, read, 0);
    pthread_create(&writer, 0, write, 0);
    pthread_join(writer, 0);
    pthread_join(reader, 0);
}
