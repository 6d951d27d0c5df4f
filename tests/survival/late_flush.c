//#with: -DLIBRARY | -DLIBRARY -Wl,-z,now | -static
//#build: case $FLAGS in *LIBRARY*) $CC -g -O1 -DPART -fPIC -shared "$HERE/late_flush.c" -o libpart.so;; *) $CC -g -O1 -DPART -c "$HERE/late_flush.c" -o part.o; rm -f libpart.a; ar rcs libpart.a part.o;; esac; $CC -g -O1 $FLAGS "$HERE/late_flush.c" -o prog -L. -lpart -Wl,-rpath,.
//#run: case $FLAGS in *now) set -- context;; esac; ./prog $@; PATHCC_PROFILE=off ./prog
//#processes: 1
//#incomplete: 0
//#entries: flush 1
//#entries: part_flush 1
//#entries: main 1
// The C library writes streams out behind everything else, and calls their functions. What those count is in a raw file beside
// the record, or in the record of a static program. It may also happen in a coroutine.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>
FILE *part(void);
#ifdef PART
__attribute__((noinline)) static void part_flush(void) { __asm__ volatile(""); }
static ssize_t put(void *cookie, const char *text, size_t length) { part_flush(); return write(1, text, length); }
FILE *part(void) { return fopencookie(NULL, "w", (cookie_io_functions_t){.write = put}); }
#else
__attribute__((noinline)) static void flush(void) { __asm__ volatile(""); }
static ssize_t put(void *cookie, const char *text, size_t length) { flush(); return write(1, text, length); }
static void leave(void) { exit(0); }
int main(int count, char **words) {
    fputs("the program's\n", fopencookie(NULL, "w", (cookie_io_functions_t){.write = put}));
    fputs("the library's\n", part());
    if (count == 1) return 0;
    static ucontext_t here, there;
    static char stack[6144];
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, leave, 0);
    return swapcontext(&here, &there);
}
#endif
