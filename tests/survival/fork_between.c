//#run: ./prog; while [ ! -e last ]; do sleep 0.1; done; sleep 0.2
//#starts: 1
//#processes: 8
//#entries: main 6
//#entries: child 6
//#incomplete: 0
// What is begun by a shell, by env, by make, by several of these, in a session of its own, and by a forked child whose parent is gone: all
// that is of the start of the program, since who began it is known when it begins.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void child(void) { __asm__ volatile(""); }
int main(int argc, char **argv) {
    if (argc > 1) { child(); return 0; }
    FILE *rules = fopen("rules", "w");
    fputs("all:\n\t@sh -c './prog made; true'\n", rules);
    fclose(rules);
    int failed = system("./prog shell; true") || system("env -i PATHCC_PROFILE=\"$PATHCC_PROFILE\" ./prog env; true")
        || system("make -s -f rules; true") || system("sh -c 'sh -c \"./prog deep; true\"; true'; true")
        || system("setsid -w sh -c './prog session; true'; true");
    // A daemon that the first child leaves behind.
    if (fork() == 0) {
        if (fork() == 0) {
            usleep(300000);
            child();
            close(open("last", O_CREAT | O_WRONLY, 0600));
            exit(0);
        }
        exit(0);
    }
    wait(NULL);
    return failed;
}
