//#with: -Wl,-z,now | -static
//#build: $CC -g -O1 $FLAGS "$HERE/death_small_stack.c" -o prog
//#run: for way in hl hx hf cl cx cf; do ./prog $way; echo $?; done
//#entries: work 10
//#processes: 8
//#incomplete: 0
// A process ends, or forks, where there is hardly any stack: in a handler on an alternative stack which has little more than what
// the kernel itself needs, and in a coroutine.
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#define LITTLE 1280
#define GUARD 65536
__attribute__((noinline)) static int work(int i) { __asm__ volatile("" : "+r"(i)); return i % 3 ? 1 : 2; }
static char way;
static void leave(int signal) {
    work(1);
    if (way == 'x') exit(7);
    // A trace becomes longer than the memory that it was given first.
    for (int i = 0; way == 't' && i < 60000; i++) work(i);
    if (way == 'f') {
        pid_t child = fork();
        work(2);
        if (child == 0) _exit(3);
        int status;
        waitpid(child, &status, 0);
        _exit(WEXITSTATUS(status) == 3 ? 7 : 9);
    }
    _exit(7);
}
static void body(void) { leave(0); }
// Behind memory that nobody may touch.
static char *stack(size_t size) {
    char *all = mmap(NULL, GUARD + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(all, GUARD, PROT_NONE);
    return all + GUARD;
}
int main(int count, char **words) {
    static ucontext_t here, there;
    way = words[1][1];
    if (words[1][0] == 'h') {
        size_t kernel = getauxval(AT_MINSIGSTKSZ), size = (kernel ? kernel : 4096) + LITTLE;
        stack_t alternative = {.ss_sp = stack(size), .ss_size = size};
        sigaltstack(&alternative, NULL);
        struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
        return 9;
    }
    getcontext(&there);
    there.uc_stack.ss_sp = stack(LITTLE);
    there.uc_stack.ss_size = LITTLE;
    makecontext(&there, body, 0);
    return swapcontext(&here, &there);
}
