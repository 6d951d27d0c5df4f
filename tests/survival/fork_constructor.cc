//#processes: 2
//#entries: child 1
//#entries: main 1
// A fork before main.
#include <sys/wait.h>
#include <unistd.h>
#include <stdlib.h>
extern "C" __attribute__((noinline)) void child() { __asm__ volatile(""); }
__attribute__((constructor)) static void early() {
    if (fork() == 0) { child(); exit(0); }
    wait(nullptr);
}
int main() {}
