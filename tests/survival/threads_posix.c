//#with: | -O0 | -O2 -fuse-ld=lld | -static | -static-pie | -O2 -static -fuse-ld=lld | -no-pie | -fuse-ld=mold -O2 | -fpath-stage=early -O2
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//');; esac; $CC -g $FLAGS "$HERE/threads_posix.c" -o prog -pthread
//#entries: hot 4096000
//#entries: run 64
//#processes: 1
//#incomplete: 0
// 64 threads at once on one hot function.
#include <pthread.h>
#include <stdio.h>
#define THREADS 64
static pthread_barrier_t barrier;
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *sum) {
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 64000; i++) *(long *)sum += hot(i);
    return NULL;
}
int main(void) {
    pthread_t threads[THREADS];
    static long sums[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    int i = 0;
#pragma clang loop unroll(disable) vectorize(disable)
    do pthread_create(&threads[i], NULL, run, &sums[i]); while (++i < THREADS);
    long sum = 0;
    for (int k = 0; k < THREADS; k++) { pthread_join(threads[k], NULL); sum += sums[k]; }
    printf("%ld\n", sum);
    return 0;
}
