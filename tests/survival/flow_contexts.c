//#with: -O0 | -O2
//#build: $CC -g $FLAGS "$HERE/flow_contexts.c" -o prog
//#entries: body 10
//#entries: turn 1000
// Ten contexts on stacks of their own take turns in one thread.
#include <stdio.h>
#include <ucontext.h>
static ucontext_t home, contexts[10];
static char stacks[10][1 << 16];
static long sum;
__attribute__((noinline)) static int turn(int n, int i) { __asm__ volatile("" : "+r"(i)); return i & 1 ? n : -n; }
static void body(int n) {
    for (int i = 0; i < 100; i++) { sum += turn(n, i + n); swapcontext(&contexts[n], &home); }
}
int main(void) {
    for (int n = 0; n < 10; n++) {
        getcontext(&contexts[n]);
        contexts[n].uc_stack.ss_sp = stacks[n];
        contexts[n].uc_stack.ss_size = sizeof stacks[n];
        contexts[n].uc_link = &home;
        makecontext(&contexts[n], (void (*)(void))body, 1, n);
    }
    for (int i = 0; i <= 100; i++) for (int n = 0; n < 10; n++) swapcontext(&home, &contexts[n]);
    printf("%ld\n", sum);
    return 0;
}
