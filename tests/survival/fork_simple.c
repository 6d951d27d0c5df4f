//#with: | -static | -O2 -fuse-ld=lld
//#processes: 4
//#incomplete: 0
//#entries: work 10
//#paths: work 10
//#entries: main 1
// Each child ends in its own way: returning, exiting, and by _exit.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(void) {
    work(0);
    for (int child = 1; child <= 3; child++) {
        if (fork() == 0) {
            for (int i = 0; i < 3; i++) work(i);
            if (child == 1) return 0;
            if (child == 2) exit(0);
            _exit(0);
        }
        wait(NULL);
    }
    return 0;
}
