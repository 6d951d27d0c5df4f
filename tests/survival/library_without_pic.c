//#build: $CC $FLAGS -g -c -Wno-unused-command-line-argument -DLIBRARY "$HERE/library_without_pic.c" -o library.o; $CC $FLAGS -g -shared library.o -o liblibrary.so; $CC $FLAGS -g "$HERE/library_without_pic.c" -L. -llibrary -Wl,-rpath,'$ORIGIN' -pthread -o prog
//#with: -O0 | -O2 | -O2 -fuse-ld=lld
//#images: 2
//#entries: library 40000
//#entries: run 4
// Code compiled for executables that the linker puts into a library, which it does as long as it needs nothing that only
// executables have.
int library(int x);

#ifdef LIBRARY
int library(int x) { return x & 1 ? x * 3 + 1 : x / 2; }
#else
#include <pthread.h>
#include <stdio.h>
static void *run(void *sum) {
    for (int i = 0; i < 10000; i++)
        *(long *)sum += library(i);
    return NULL;
}
int main(void) {
    pthread_t threads[4];
    long sums[4] = {0}, sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run, &sums[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        sum += sums[i];
    }
    printf("%ld\n", sum);
    return 0;
}
#endif
