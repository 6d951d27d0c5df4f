// clean: a lock of one atomic flag.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static long total;

static void *work(void *unused) {
    for (int i = 0; i < 100; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            sched_yield();
        total++;
        atomic_flag_clear_explicit(&lock, memory_order_release);
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    printf("%ld\n", total);
}
