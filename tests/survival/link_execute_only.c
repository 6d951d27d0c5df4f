//#with: | -static
//#needs: mold --help | grep -q execute-only
//#build: $CC -g -O1 -fuse-ld=mold -Wl,--execute-only $FLAGS "$HERE/link_execute_only.c" -o prog -pthread
//#entries: inside 4000
//#entries: run 4
//#entries: main 1
//#processes: 1
//#incomplete: 0
// Code that may only be executed, not read.
#include <pthread.h>
__attribute__((noinline)) static int inside(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 1000; i++) inside(i); return x; }
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    return 0;
}
