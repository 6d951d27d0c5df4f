//#with: | -O2 | -no-pie | -static | -O2 -fuse-ld=lld | -DINSTRUCTION -mfsgsbase | -DASSEMBLY -O2
//#build: $CC -w -g $FLAGS -DOTHER -c "$HERE/segment_own.c" -o other.o; $CC -g $FLAGS "$HERE/segment_own.c" other.o -o prog -pthread
//#entries: f 4000
//#entries: run 4
//#entries: main 1
//#incomplete: 0
// A program that has segment %gs for itself, in each of its threads, and code in another unit that does not know.
#ifdef OTHER
static volatile int n;
__attribute__((noinline)) int f(int x) { if (x & 1) __asm__ volatile("nop"); return x; }
#else
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
int f(int x);
static void set(long *base) {
#if defined(INSTRUCTION)
    if (getauxval(AT_HWCAP2) & 2) {
        _writegsbase_u64((unsigned long)base);
        return;
    }
#elif defined(ASSEMBLY)
    if (getauxval(AT_HWCAP2) & 2) {
        __asm__ volatile("wrgsbase %0" : : "r"(base));
        return;
    }
#endif
    syscall(SYS_arch_prctl, ARCH_SET_GS, base);
}
static long own(void) {
    long value;
    __asm__ volatile("movq %%gs:8, %0" : "=r"(value));
    return value;
}
static void *run(void *argument) {
    long *base = calloc(2, sizeof *base);
    base[1] = (long)argument;
    set(base);
    long sum = 0;
    for (int i = 0; i < 1000; i++) sum += f(i) & 1 ? own() : 0;
    return (void *)sum;
}
int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++) pthread_create(threads + i, NULL, run, (void *)(i + 1));
    for (int i = 0; i < 4; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        printf("%ld\n", (long)sum);
    }
    return 0;
}
#endif
