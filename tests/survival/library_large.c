//#with: | -O0 | -O2 -fuse-ld=lld | -fuse-ld=mold
//#build: $CC $FLAGS -g -fPIC -shared -DLIBRARY "$HERE/library_large.c" -o liblarge.so; $CC $FLAGS -g "$HERE/library_large.c" -pthread -o prog
//#images: 2
//#entries: library 40000
//#entries: run 4
//#incomplete: 0
// A library with large thread-local variables of its own, opened at run time: the loader has no room for those at a fixed place.
#ifdef LIBRARY
static __thread volatile char own[40000];
int library(int x) { own[x % 40000] = x; return x & 1 ? x * 3 + 1 : x / 2; }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int (*library)(int);
static void *run(void *sum) {
    for (int i = 0; i < 10000; i++) *(long *)sum += library(i);
    return NULL;
}
int main(void) {
    pthread_t threads[4];
    long sums[4] = {0}, sum = 0;
    void *opened = dlopen("./liblarge.so", RTLD_NOW);
    if (!opened) { puts(dlerror()); return 1; }
    library = (int (*)(int))dlsym(opened, "library");
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, &sums[i]);
    for (int i = 0; i < 4; i++) { pthread_join(threads[i], NULL); sum += sums[i]; }
    printf("%ld\n", sum);
    return 0;
}
#endif
