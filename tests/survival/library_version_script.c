//#build: echo '{ global: api; local: *; };' >map; $CC -g -O1 -shared -fPIC -DLIBRARY "$HERE/library_version_script.c" -o libx.so -Wl,--version-script=map; echo '{ main; };' >list; $CC -g -O1 "$HERE/library_version_script.c" ./libx.so -o prog -Wl,--dynamic-list=list -pthread
//#images: 2
//#entries: api 4
//#entries: run 4
// Nothing but what the scripts say may be seen, and threads are counted all the same.
#ifdef LIBRARY
int api(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
#else
#include <pthread.h>
int api(int x);
static void *run(void *x) { api(x != 0); return x; }
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    return 0;
}
#endif
