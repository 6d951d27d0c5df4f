#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
static int seen;
static int child(void *data) { for (int i = 0; i < *(int *)data; i++) seen += i & 1 ? 1 : 10; return 7; }
int main(void) {
    int n = 4, status;
    char *stack = malloc(1 << 16);
    int pid = clone(child, stack + (1 << 16), CLONE_VM | CLONE_VFORK | SIGCHLD, &n);
    waitpid(pid, &status, 0);
    printf("%d %d\n", seen, WEXITSTATUS(status));
}
