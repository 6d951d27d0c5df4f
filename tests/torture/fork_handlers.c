#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int before, parents, children;
static void prepare(void) { if (++before > 2) before = 10; }
static void parent(void) { parents++; }
static void child(void) { for (int i = 0; i < 2; i++) children++; }
int main(void) {
    int sum = 0;
    pthread_atfork(prepare, parent, child);
    for (int i = 0; i < 3; i++) { int status, pid = fork(); if (pid == 0) _exit(children + before); waitpid(pid, &status, 0); sum += WEXITSTATUS(status); }
    printf("%d %d %d %d\n", before, parents, children, sum);
}
