//#entries: hot 3000
//#entries: run 3
//#flying: forever 2
//#entries: forever 2
//#incomplete: 0
// Detached threads that have ended, and threads that still wait when the program ends.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t done;
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 1000; i++) hot(i); sem_post(&done); return x; }
__attribute__((noinline)) static void *forever(void *x) { sem_post(&done); if (x) for (;;) pause(); return x; }
int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++) { pthread_create(&thread, NULL, run, NULL); pthread_detach(thread); }
    for (int i = 0; i < 2; i++) pthread_create(&thread, NULL, forever, &done);
    for (int i = 0; i < 5; i++) sem_wait(&done);
    return 0;
}
