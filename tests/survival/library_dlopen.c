//#build: for p in a b; do mkdir $p; cp "$HERE/library_dlopen.c" $p/plugin.c; (cd $p; $CC -g -shared -fPIC -DPLUGIN=$p plugin.c -o ../$p.so); done; $CC -g "$HERE/library_dlopen.c" -o prog -ldl -pthread
//#processes: 1
//#images: 3
//#entries: plugin_a 70000
//#entries: plugin_b 70000
//#entries: main 1
//#entries: run 6
//#incomplete: 0
// Two plugins of one source name, opened, closed and opened again, used by threads that were there before.
#ifdef PLUGIN
#define NAME2(x) plugin_##x
#define NAME1(x) NAME2(x)
__attribute__((noinline)) static int NAME1(PLUGIN)(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int plugin(int n) { int s = 0; for (int i = 0; i < n; i++) s += NAME1(PLUGIN)(i); return s; }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_barrier_t go, done;
static int (*volatile call)(int);
static void *run(void *x) {
    for (int i = 0; i < 4; i++) {
        pthread_barrier_wait(&go);
        call(5000);
        pthread_barrier_wait(&done);
    }
    return x;
}
int main(void) {
    pthread_t threads[6];
    pthread_barrier_init(&go, NULL, 7);
    pthread_barrier_init(&done, NULL, 7);
    for (int i = 0; i < 6; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++) {
        void *library = dlopen(i & 1 ? "./a.so" : "./b.so", RTLD_NOW);
        if (!library) { puts(dlerror()); return 1; }
        call = (int (*)(int))dlsym(library, "plugin");
        pthread_barrier_wait(&go);
        call(5000);
        pthread_barrier_wait(&done);
        if (dlclose(library)) return 2;
    }
    for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
    return 0;
}
#endif
