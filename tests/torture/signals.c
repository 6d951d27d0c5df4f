#include <signal.h>
#include <stdio.h>
#include <string.h>
static volatile int seen[2];
static void plain(int signal) { seen[0]++; if (seen[0] < 3) raise(signal); }
static void with_info(int signal, siginfo_t *info, void *context) { if (info->si_code == SI_TKILL || context) seen[1] += 2; }
int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = plain;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGUSR1, &action, 0);
    action.sa_sigaction = with_info;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGUSR2, &action, 0);
    raise(SIGUSR1);
    raise(SIGUSR2);
    printf("%d %d\n", seen[0], seen[1]);
}
