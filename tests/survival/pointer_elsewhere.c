//#with: | -O2 | -no-pie -O1 | -static | -static-pie -O2 | -O2 -fuse-ld=lld | -static -fuse-ld=lld -O2 | -O2 -fuse-ld=mold | -O2 -flto -fuse-ld=lld | -s | -fPIC -O2 | -fPIC -fuse-ld=lld | -fPIC -static
//#build: $CC -w -Wno-unused-command-line-argument -g $FLAGS -DOTHER -c "$HERE/pointer_elsewhere.c" -o other.o; $CC -w -g $FLAGS "$HERE/pointer_elsewhere.c" other.o -o prog -pthread
//#entries: f 2000
//#entries: run 1
//#entries: main 1
// As `pointer_clone`, but what the child runs is in another unit.
#ifdef OTHER
int n;
__attribute__((noinline)) int f(int x) {
    if (x & 1) __asm__ volatile("nop");
    for (int i = 0; i < x % 3; i++) __asm__ volatile("");
    return x;
}
int run(void *p) { for (int i = 0; i < 1000; i++) n += f(i) & 1; return p != 0; }
#else
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
extern int n;
int f(int x), run(void *p);
static long block[8192];
int main(void) {
    char *stack = malloc(1 << 16);
    long *pointer = block + 4096;
    pointer[0] = pointer[2] = (long)pointer;
    int status, child = clone(run, stack + (1 << 16), CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SETTLS | SIGCHLD, 0, 0, pointer, 0);
    waitpid(child, &status, 0);
    for (int i = 0; i < 1000; i++) n += f(i) & 1;
    printf("%d status %x\n", n, status);
    return 0;
}
#endif
