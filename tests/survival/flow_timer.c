//#with: -O0 | -O2
//#entries: handler 3000
//#unlike
//#build: $CC -g $FLAGS "$HERE/flow_timer.c" -o prog
// As above, but the signals come at any instruction. The program knows how often it called.
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
static volatile sig_atomic_t signals;
__attribute__((noinline)) int work(int x) { return x & 1 ? x + 1 : x - 1; }
static void handler(int number) {
    work(number);
    if (++signals == 3000) {
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
        // One more may be pending by now: ignoring the signal discards it.
        signal(SIGALRM, SIG_IGN);
    }
}
int main(void) {
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 50}, {0, 50}}, NULL);
    long calls = 0;
    volatile int x = 0;
    for (; signals < 3000; calls++) x = work(x);
    for (; calls < 1000000000 && calls % 1000000; calls++) x = work(x);
    printf("%ld\n", calls);
    return 0;
}
