//#with: | -fuse-ld=lld | -fuse-ld=mold
//#build: $CC -g -O1 -shared -fPIC $FLAGS -DLIBRARY "$HERE/library_symbols.c" -o libx.so; $CC -g -O1 $FLAGS "$HERE/library_symbols.c" ./libx.so -o prog -pthread
//#run: ./prog; for f in prog libx.so; do nm -D --defined-only $f | sed 's/^[0-9a-f]* //' | grep -vE '^W (pthread_create|thrd_create|_exit|_Exit)$|^[BDR] (_edata|_end|__bss_start|_fini|_init|_IO_stdin_used|__data_start|data_start)$|_init|_fini' | sort; done
//#entries: api 1
// The dynamic symbols of images with counters are those of images without, but for the functions that create threads
// and those that end a process at once.
#ifdef LIBRARY
int api(int x) { return x & 1 ? x + 1 : x - 1; }
#else
#include <pthread.h>
int api(int x);
static void *run(void *x) { return x; }
int main(void) { pthread_t thread; pthread_create(&thread, 0, run, 0); pthread_join(thread, 0); return api(1) - 2; }
#endif
