//#with: static | dynamic
//#needs: [ -e /usr/lib/x86_64-linux-musl/libc.a ]
//#build: M=/usr/lib/x86_64-linux-musl; G=$(gcc -print-libgcc-file-name); CC="$CC --target=x86_64-linux-musl -nostdinc -isystem /usr/include/x86_64-linux-musl -isystem /usr/lib/llvm-22/lib/clang/22/include -g -O1"; L="-nostdlib -nostartfiles"; $CC -fPIC -DLIBRARY -c "$HERE/link_musl.c" -o lib.o; if [ $FLAGS = static ]; then $CC -DSTATIC -c "$HERE/link_musl.c" -o main.o; $CC -static $L $M/crt1.o $M/crti.o main.o lib.o -L$M -lc $G $M/crtn.o -o prog; else $CC -shared $L lib.o -L$M -lc -o lib.so; $CC -fPIE -c "$HERE/link_musl.c" -o main.o; $CC -pie $L $M/Scrt1.o $M/crti.o main.o -L$M -lc $G $M/crtn.o -Wl,-dynamic-linker,/lib/ld-musl-x86_64.so.1 -o prog; fi
//#entries: hot 40000
//#entries: run 4
//#entries: child 1
//#processes: 2
//#incomplete: 0
// musl: threads, a fork, and a library that is loaded while the program runs.
#ifdef LIBRARY
__attribute__((noinline)) static int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int many(int n) { int s = 0; for (int i = 0; i < n; i++) s += hot(i); return s; }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int many(int n);
static int (*call)(int);
__attribute__((noinline)) static void child(void) { __asm__ volatile(""); }
static void *run(void *x) { call(10000); return x; }
int main(void) {
#ifdef STATIC
    call = many;
#else
    void *library = dlopen("./lib.so", RTLD_NOW);
    if (!library) { puts(dlerror()); return 1; }
    call = (int (*)(int))dlsym(library, "many");
#endif
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    if (fork() == 0) { child(); exit(0); }
    return wait(0) < 0;
}
#endif
