//#with: -O0 | -O0 -fpath-stage=early | -O2 | -O2 -fpath-stage=early -fpath-promotion=no
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//g');; esac; $CC -g $FLAGS "$HERE/flow_signals.c" -o prog
//#entries: handler 20000
//#entries: work 3020000
//#paths: work 3020000
// A handler that counts the very paths that it interrupts.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static volatile sig_atomic_t signals;
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void handler(int signal) { work(signal); signals++; }
int main(void) {
    signal(SIGALRM, handler);
    for (long i = 0, sent = 0; i < 3000000; i++) {
        work((int)i);
        if (i % 150 == 149) { kill(getpid(), SIGALRM); sent++; }
    }
    return signals != 20000;
}
