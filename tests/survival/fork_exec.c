//#starts: 1
//#processes: 7
//#entries: main 7
//#entries: before 3
//#entries: after 6
//#unlike
// Children that execute this program again, by every way there is. Those that forked first have two profiles: what ran
// before exec, and what ran after it.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
__attribute__((noinline)) static void before(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void after(void) { __asm__ volatile(""); }
int main(int argc, char **argv) {
    if (argc > 1) { after(); return 0; }
    char *again[] = {argv[0], "again", NULL};
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) { before(); execv(argv[0], again); _exit(1); }
        wait(NULL);
    }
    if (vfork() == 0) { execv(argv[0], again); _exit(1); }
    wait(NULL);
    pid_t pid;
    if (posix_spawn(&pid, argv[0], NULL, NULL, again, environ)) return 1;
    waitpid(pid, NULL, 0);
    return system("./prog again");
}
