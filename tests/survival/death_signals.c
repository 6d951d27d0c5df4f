//#run: for how in kill abort segv exit quick term trap; do ./prog $how; echo $?; done
//#processes: 7
//#incomplete: 6
//#entries: work 7000
//#paths: work 7000
//#entries: main 7
//#entries: die 7
// Every way to die at once. What was counted before the last instruction stays. Who leaves by _exit has lost nothing.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
__attribute__((noinline)) static void die(const char *how) {
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "segv")) *(volatile int *)strlen("") = 1;
    if (!strcmp(how, "exit")) _exit(3);
    if (!strcmp(how, "quick")) quick_exit(4);
    if (!strcmp(how, "term")) raise(SIGTERM);
    if (!strcmp(how, "trap")) __builtin_trap();
}
int main(int argc, char **argv) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    for (int i = 0; i < 1000; i++) work(i);
    die(argv[argc - 1]);
    return 0;
}
