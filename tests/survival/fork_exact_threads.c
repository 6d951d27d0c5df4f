//#processes: 9
//#entries: hot 900000
//#incomplete: 0
// Parent and children count in threads of their own, exactly.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 25000; i++) hot(i); return x; }
static void four(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}
int main(void) {
    for (int i = 0; i < 8; i++)
        if (fork() == 0) { four(); exit(0); }
    four();
    while (wait(NULL) > 0) {}
    return 0;
}
