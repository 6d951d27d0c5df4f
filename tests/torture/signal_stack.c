#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static char stack[1 << 16];
static sigjmp_buf back;
static volatile int depth;
static int deep(int n) { volatile char room[4096]; room[n & 4095] = 1; depth = n; return n < 0 ? 0 : deep(n + 1) + room[n & 4095]; }
static void handler(int signal) { siglongjmp(back, 1); }
int main(void) {
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigaltstack(&other, 0);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, 0);
    for (volatile int i = 0; i < 3; i++) if (sigsetjmp(back, 1) == 0) { if (i) raise(SIGUSR1); puts("first"); } else puts("back");
    return deep(-5) < 0;
}
