//#needs: [ $(id -u) = 0 ] && chroot / true
//#build: $CC -g -O1 -static "$HERE/hostile_chroot.c" -o prog -pthread
//#run: mkdir jail; ./prog; find jail -mindepth 1
//#processes: 4
//#incomplete: 1
//#partial: 0
//#unwritten: 1
//#entries: hot 24000
//#entries: child 3
// Forks behind a change of the root, where the profiles' directory has no name any more, one of a child that is killed and one of a
// child that is another user by then: all are counted, and nothing is written into the jail. The user ended well, and has no right to say so in a profile.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 2000; i++) hot(i); return x; }
static void three(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) if (pthread_create(&threads[i], NULL, run, NULL)) abort();
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}
__attribute__((noinline)) static void child(int how) {
    if (how == 2 && (setgid(65534) || setuid(65534))) puts("cannot change the user");
    three();
    if (how == 1) kill(getpid(), SIGKILL);
    exit(0);
}
int main(void) {
    if (chroot("jail") || chdir("/")) return 1;
    three();
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) child(i);
        wait(NULL);
    }
    return 0;
}
