//#with: | -fuse-ld=lld | -O2 -Wl,-Bsymbolic -Wl,-z,defs | -Wl,--gc-sections -ffunction-sections
//#build: $CC -g -shared -fPIC $FLAGS -DLIBRARY "$HERE/library_linked.c" -o libx.so -pthread; $CC -g $FLAGS "$HERE/library_linked.c" -o prog -L. -lx -Wl,-rpath,. -pthread
//#images: 2
//#processes: 1
//#entries: inside 80000
//#entries: run 8
//#entries: main 1
//#incomplete: 0
// A library counts in the threads of its executable.
#ifdef LIBRARY
__attribute__((noinline)) static int inside(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int outside(int x) { int s = 0; for (int i = 0; i < 10000; i++) s += inside(x + i); return s; }
#else
#include <pthread.h>
int outside(int x);
static void *run(void *x) { return (void *)(long)outside(x != 0); }
int main(void) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
    return 0;
}
#endif
