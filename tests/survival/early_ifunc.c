//#with: | -O2 | -no-pie | -static | -static-pie | -O2 -fuse-ld=lld | -static -fuse-ld=lld | -static-pie -fuse-ld=lld | -fuse-ld=mold | -static -fuse-ld=mold | -static-pie -fuse-ld=mold | -rdynamic | -rdynamic -fuse-ld=lld | -Wl,-z,now | -Wl,-z,lazy | -fpath-stage=early -O2
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//');; esac; $CC -g -Wno-unused-command-line-argument $FLAGS -DOTHER -c "$HERE/early_ifunc.c" -o other.o; $CC -g $FLAGS "$HERE/early_ifunc.c" other.o -o prog -pthread
//#turns: choose
//#turns: other
//#entries: hot 40000
//#entries: first 2
//#entries: second 1
//#incomplete: 0
// Functions that resolvers of ifuncs call, in the same unit and in another one: they run before there are thread-local
// variables, in static programs before there is a thread pointer.
#ifdef OTHER
__attribute__((noinline)) int other(int k) {
    if (k & 1)
        __asm__ volatile("");
    else
        __asm__ volatile("nop");
    return k > 2;
}
#else
#include <pthread.h>
#include <stdio.h>
int other(int k);
static int turns;
__attribute__((noinline)) static int first(int x) { return x + 1; }
__attribute__((noinline)) static int second(int x) { return x + 2; }
__attribute__((noinline)) static int choose(int k) {
    if (k & 1)
        __asm__ volatile("");
    else
        __asm__ volatile("nop");
    turns++;
    return other(k);
}
static int often(int k) {
    int chosen = 0;
    for (int i = 0; i < 50; i++) chosen = choose(k);
    return chosen;
}
static void *resolve(void) { return often(3) ? (void *)first : (void *)second; }
static void *resolve_other(void) { return often(2) ? (void *)first : (void *)second; }
int f(int) __attribute__((ifunc("resolve")));
int g(int) __attribute__((ifunc("resolve_other")));
__attribute__((noinline)) static int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 10000; i++) hot(i); return x; }
int (*table[])(int) = {f};
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    FILE *file = fopen("turns", "w");
    fprintf(file, "%d\n", turns);
    fclose(file);
    return f(1) + g(1) + table[0](2) != 8;
}
#endif
