//#build: $CC -g -O1 -fPIC -shared -DLIBRARY "$HERE/library_many.c" -o lib0.so; for i in $(seq 249); do cp lib0.so lib$i.so; done; $CC -g -O1 "$HERE/library_many.c" -pthread -o prog
//#entries: main 1
//#entries: library 750000
//#incomplete: 0
// More libraries at once than the C library has room for thread-local variables at a fixed place.
#ifdef LIBRARY
int library(int x) { return x & 1 ? x * 3 + 1 : x / 2; }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#ifndef LIBRARIES
#define LIBRARIES 250
#endif
static int (*library[LIBRARIES])(int);
static void *run(void *sum) {
    for (int i = 0; i < LIBRARIES; i++)
        for (int k = 0; k < 1000; k++) *(long *)sum += library[i](k);
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    long sums[3] = {0};
    for (int i = 0; i < LIBRARIES; i++) {
        char name[20];
        snprintf(name, sizeof name, "./lib%d.so", i);
        void *opened = dlopen(name, RTLD_NOW);
        if (!opened) { puts(dlerror()); return 1; }
        library[i] = (int (*)(int))dlsym(opened, "library");
    }
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, &sums[i]);
    run(&sums[2]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%ld\n", sums[0] + sums[1] + sums[2]);
    return 0;
}
#endif
