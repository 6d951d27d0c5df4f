//#with: | -O2 -fuse-ld=lld | -fuse-ld=mold | -Wl,-z,now | -fvisibility=hidden
//#build: $CC $FLAGS -g -fPIC -shared -DLIBRARY "$HERE/library_ifunc.c" -o libifunc.so; $CC $FLAGS -g "$HERE/library_ifunc.c" -L. -lifunc -Wl,-rpath,'$ORIGIN' -pthread -o prog
//#images: 2
//#turns: choose
//#entries: first 40000
//#entries: second 0
//#incomplete: 0
// Resolvers of ifuncs in a library, which call a counted function while the library is being relocated.
__attribute__((visibility("default"))) int call(int x);
__attribute__((visibility("default"))) int turns(void);
#ifdef LIBRARY
static int chosen;
__attribute__((noinline)) static int first(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
__attribute__((noinline)) static int second(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 2 : x - 2; }
__attribute__((noinline)) static int choose(int x) { __asm__ volatile("" : "+r"(x)); __atomic_add_fetch(&chosen, 1, __ATOMIC_RELAXED); return x & 1 ? x : 0; }
static void *resolve(void) {
    int odd = 0;
    for (int i = 0; i < 50; i++) odd += choose(i);
    return odd ? (void *)first : (void *)second;
}
int f(int) __attribute__((ifunc("resolve")));
int call(int x) { return f(x); }
int turns(void) { return chosen; }
#else
#include <pthread.h>
#include <stdio.h>
static void *run(void *x) { for (int i = 0; i < 10000; i++) call(i); return x; }
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    FILE *file = fopen("turns", "w");
    fprintf(file, "%d\n", turns());
    fclose(file);
    return 0;
}
#endif
