//#build: $CC -g -O1 -shared -fPIC -DLIBRARY "$HERE/threads_unknown.c" -o lib.so; clang-22 -O1 "$HERE/threads_unknown.c" ./lib.so -o prog -pthread
//#unregistered: yes
//#images: 1
//#entries: hot 11000
// A library with counters in a program without: its threads are not registered. They take turns, so that nothing is lost.
#ifdef LIBRARY
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
#else
#include <pthread.h>
int hot(int x);
static void *run(void *x) { for (int i = 0; i < 1000; i++) hot(i); return x; }
int main(void) {
    run(NULL);
    for (int i = 0; i < 10; i++) { pthread_t thread; pthread_create(&thread, NULL, run, NULL); pthread_join(thread, NULL); }
    return 0;
}
#endif
