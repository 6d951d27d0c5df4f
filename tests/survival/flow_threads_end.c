//#entries: leave 4
//#entries: cleanup 6
//#entries: wait_for_it 2
//#entries: run 4
// Threads that leave by pthread_exit, and threads that are cancelled.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static void cleanup(void *x) { __asm__ volatile("" : : "r"(x)); }
__attribute__((noinline)) static void leave(long n) { if (n) pthread_exit((void *)n); __asm__ volatile(""); }
__attribute__((noinline)) static void *wait_for_it(void *x) { pthread_cleanup_push(cleanup, x); for (;;) pause(); pthread_cleanup_pop(0); return x; }
__attribute__((noinline)) static void *run(void *x) { pthread_cleanup_push(cleanup, x); leave((long)x); pthread_cleanup_pop(0); return x; }
int main(void) {
    pthread_t threads[6];
    void *result;
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, (void *)(i + 1));
    for (int i = 4; i < 6; i++) pthread_create(&threads[i], NULL, wait_for_it, NULL);
    usleep(100000);
    for (int i = 4; i < 6; i++) pthread_cancel(threads[i]);
    for (long i = 0; i < 6; i++) { pthread_join(threads[i], &result); if (i < 4 ? result != (void *)(i + 1) : result != PTHREAD_CANCELED) abort(); }
    return 0;
}
