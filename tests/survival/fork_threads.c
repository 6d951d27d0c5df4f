//#processes: 21
//#entries: child 20
//#entries: busy 4
// Forks from a thread while others count.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int stop;
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *busy(void *x) { for (int i = 0; !stop; i++) hot(i); return x; }
__attribute__((noinline)) static void child(void) { __asm__ volatile(""); }
static void *forks(void *x) {
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        if (pid == 0) { child(); exit(0); }
        int status;
        waitpid(pid, &status, 0);
        if (status) abort();
    }
    return x;
}
int main(void) {
    pthread_t threads[4], forker;
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, busy, NULL);
    pthread_create(&forker, NULL, forks, NULL);
    pthread_join(forker, NULL);
    stop = 1;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return 0;
}
