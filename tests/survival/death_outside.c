//#run: ./prog & pid=$!; while [ ! -e ready ]; do sleep 0.05; done; kill -9 $pid; wait $pid
//#status: 137
//#incomplete: 1
//#entries: main 1
//#entries: work 4000
//#entries: spin 2
// Killed from outside while threads run on.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static pthread_barrier_t barrier;
static void *spin(void *x) {
    for (int i = 0; i < 2000; i++) work(i);
    pthread_barrier_wait(&barrier);
    for (;;) __asm__ volatile("");
    return x;
}
int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, spin, NULL);
    pthread_barrier_wait(&barrier);
    close(open("ready", O_CREAT | O_WRONLY, 0666));
    for (;;) pause();
}
