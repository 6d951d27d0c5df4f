/* What every random program begins with. DEATH is what `die` does; with NO_PROBES there are no probes. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __cplusplus
#define QUIET noexcept
extern "C" {
#define THREAD thread_local
#else
#define QUIET __attribute__((nothrow))
#define THREAD _Thread_local
#endif
#ifdef NO_PROBES
#define P(k)
#else
#define P(k) p##k()
#define ONE(k) void p##k(void) QUIET;
#include "probes.h"
#endif
void park(void) QUIET;
void await_parked(int) QUIET;
#ifdef __cplusplus
}
#endif
struct jump { jmp_buf buffer; void *words[5]; int kind; struct jump *up; };
static THREAD struct jump *top;
static THREAD unsigned state;
/* Whether this is not the first thread, which alone forks and ends. */
static THREAD int aside;
static int forks = 2;
/* The same numbers in every run: they depend on where they are asked for alone. */
static unsigned dice(unsigned sides) { state = state * 1103515245u + 12345u; return (state >> 16) % sides; }
__attribute__((noinline, noreturn)) static void die(void) { DEATH; }
__attribute__((noinline)) static void leap(void) {
    struct jump *to = top;
    if (to->kind) __builtin_longjmp(to->words, 1); else longjmp(to->buffer, 1);
}
/* A child, for whose end its parent waits. */
__attribute__((noinline)) static int part(void) {
    forks--;
    fflush(stdout);
    int child = fork();
    if (child > 0) waitpid(child, 0, 0);
    return child;
}
static unsigned any(unsigned number, unsigned depth);
