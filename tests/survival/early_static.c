//#with: -static | -static-pie | -O2 -static | -static -fuse-ld=lld | -static-pie -fuse-ld=lld | -static -fuse-ld=mold | -static-pie -fuse-ld=mold | -O2 -static -flto | -static -s | |
//#build: $CC -g -fno-builtin $FLAGS "$HERE/early_static.c" -o prog -pthread
//#turns: copied
//#entries: hot 40000
//#entries: main 1
//#incomplete: 0
// A program with functions of its own that the C library calls by name, in a static program before there is a thread pointer.
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static volatile long turns;
__attribute__((noinline)) static void copied(void) { turns++; }
void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    char *a = to;
    const char *b = from;
    while (n--) {
        *a++ = *b++;
        __asm__ volatile("" ::: "memory");
    }
    for (int i = 0; i < 10; i++) copied();
    return to;
}
void *memset(void *to, int byte, size_t n) {
    char *a = to;
    while (n--) {
        *a++ = byte;
        __asm__ volatile("" ::: "memory");
    }
    return to;
}
size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) {
        n++;
        __asm__ volatile("" ::: "memory");
    }
    return n;
}
__attribute__((noinline)) static int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 10000; i++) hot(i); return x; }
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    char text[20], copy[6];
    memcpy(copy, "hello", 6);
    if (strlen(copy) != 5) return 1;
    int file = open("turns", O_WRONLY | O_CREAT, 0600), at = sizeof text;
    for (long rest = turns; rest > 0; rest /= 10) text[--at] = '0' + rest % 10;
    write(file, text + at, sizeof text - at);
    return 0;
}
