//#with: | -O0 | -O2
//#entries: main 1
//#running: 1
//#incomplete: 0
// The program ends while two threads are in the middle of a loop without calls: what they were in is said to be in doubt.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int started;
static int work[2];
__attribute__((noinline)) static void *busy(void *x) {
    atomic_fetch_add(&started, 1);
    for (int *at = x;; *at = *at & 1 ? *at + 3 : *at - 1) __asm__("" : "+m"(*at));
    return x;
}
int main(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++) pthread_create(&thread, 0, busy, &work[i]);
    while (atomic_load(&started) < 2) {}
    return 0;
}
