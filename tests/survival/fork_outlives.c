//#run: mkfifo pipe; ./prog & timeout 60 cat pipe; wait
//#entries: main 1
//#entries: before 1
//#processes: 1
//#incomplete: 0
// A child that was forked by the system call itself shares the file with its parent's counters, and goes on when the parent has
// ended and withdrawn its own. It blocks every signal.
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static int before(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
__attribute__((noinline)) static int child(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(void) {
    int ends[2];
    if (pipe(ends)) return 1;
    before(1);
    if (syscall(SYS_fork) == 0) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
        close(ends[1]);
        char byte;
        // It ends when the parent's end is closed, which is when the parent is gone.
        while (read(ends[0], &byte, 1) > 0) {}
        for (int i = 0; i < 100; i++) child(i);
        int out = open("pipe", O_WRONLY);
        _exit(write(out, "alive\n", 6) != 6);
    }
    return 0;
}
