//#build: $CC -g -O1 -shared -fPIC -DLIBRARY "$HERE/library_early_threads.c" -o libx.so -pthread; $CC -g -O1 "$HERE/library_early_threads.c" ./libx.so -o prog -pthread
//#entries: hot 20000
//#entries: finish 1
//#incomplete: 0
// Threads that a library starts before the executable's own constructors run.
#include <pthread.h>
#ifdef LIBRARY
static pthread_t threads[4];
__attribute__((noinline)) static int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 5000; i++) hot(i); return x; }
__attribute__((constructor)) static void early(void) { for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0); }
void finish(void) { for (int i = 0; i < 4; i++) pthread_join(threads[i], 0); }
#else
void finish(void);
int main(void) { finish(); return 0; }
#endif
