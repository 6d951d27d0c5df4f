//#processes: 1001
//#entries: child 1000
//#entries: main 1
//#incomplete: 0
// A thousand children, half of which leave by _exit: they have lost nothing.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void child(void) { __asm__ volatile(""); }
int main(void) {
    for (int i = 0; i < 1000; i++) {
        if (fork() == 0) { child(); if (i & 1) _exit(0); return 0; }
        if (i % 50 == 49) while (wait(NULL) > 0) {}
    }
    while (wait(NULL) > 0) {}
    return 0;
}
