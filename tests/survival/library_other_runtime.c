//#build: $CC -g -O1 -shared -fPIC -DLIBRARY "$HERE/library_other_runtime.c" -o libx.so; $CC -g -O1 "$HERE/library_other_runtime.c" ./libx.so -o prog -pthread; LC_ALL=C sed -i 's/pathcc threads./pathcc threads\x03/' prog
//#images: 2
//#other_runtime: 1
//#unregistered: yes
//#entries: run 4
//#entries: main 1
// A library whose runtime is of another version than the executable's keeps away from what it would share with it, and says so.
#ifdef LIBRARY
int api(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
#else
#include <pthread.h>
int api(int x);
static void *run(void *x) { for (int i = 0; i < 1000; i++) api(i); return x; }
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) { pthread_create(&threads[i], 0, run, 0); pthread_join(threads[i], 0); }
    return 0;
}
#endif
