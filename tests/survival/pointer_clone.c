//#with: | -O2 | -no-pie | -static | -fPIC | -O2 -fpath-stage=early
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//');; esac; $CC -w -g $FLAGS "$HERE/pointer_clone.c" -o prog -pthread
//#entries: f 1000
//#entries: main 1
// A child in the same memory with a thread pointer of its own: no thread-local variable of the program is there.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
static volatile int n;
__attribute__((noinline)) int f(int x) { if (x & 1) __asm__ volatile("nop"); return x; }
static int run(void *p) { for (int i = 0; i < 1000; i++) n += f(i) & 1; return 0; }
static long block[8192];
int main(void) {
    char *stack = malloc(1 << 16);
    long *pointer = block + 4096;
    pointer[0] = pointer[2] = (long)pointer;
    int status, child = clone(run, stack + (1 << 16), CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SETTLS | SIGCHLD, 0, 0, pointer, 0);
    waitpid(child, &status, 0);
    printf("%d status %x\n", n, status);
    return 0;
}
