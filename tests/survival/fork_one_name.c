//#run: mkdir p; PATHCC_PROFILE=p/fixed.pathprof ./prog; for f in p/*; do [ ! -e $f ] || mv $f profiles; done
//#processes: 3
//#entries: child 2
//#entries: main 1
//#incomplete: 0
// A name without the process in it is that of one file, to which the parent and its children append.
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void child(void) { __asm__ volatile(""); }
int main(void) {
    for (int i = 0; i < 2; i++) {
        if (fork() == 0) { child(); return 0; }
        wait(NULL);
    }
    return 0;
}
