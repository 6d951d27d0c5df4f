//#unregistered: yes
//#entries: main 1
// A thread that nobody but the kernel knows of, which has gone when the program ends.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int started;
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static int run(void *x) { for (int i = 0; i < 100000; i++) hot(i); started = 1; return x != NULL; }
int main(void) {
    char *stack = aligned_alloc(16, 1 << 16);
    if (clone(run, stack + (1 << 16), CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL) < 0) return 1;
    while (!started) usleep(1000);
    usleep(10000);
    return 0;
}
