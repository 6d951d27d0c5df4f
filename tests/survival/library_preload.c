//#build: $CC -g -O1 -shared -fPIC "$HERE/library_preload.c" -o pre.so
//#run: LD_PRELOAD=./pre.so /bin/true
//#images: 1
//#entries: puts_like 1
//#entries: early 1
// Preloaded into a program that knows nothing of it.
__attribute__((noinline)) static void puts_like(void) { __asm__ volatile(""); }
__attribute__((constructor)) static void early(void) { puts_like(); }
