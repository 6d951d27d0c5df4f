//#with: -O2 | -O2 -fpath-stage=early -fpath-promotion=no
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//g');; esac; $CC -g $FLAGS "$HERE/death_in_loop.c" -o prog
//#run: ./prog; head -c 8 loops | od -An -td8 >turns; rm loops
//#turns: spin
//#processes: 2
//#incomplete: 1
// Killed in a loop without calls: the count of the loop is in memory at every turn, and no count waits in a register.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void spin(volatile long *turns) { for (;;) ++*turns; }
int main(void) {
    int file = open("loops", O_CREAT | O_RDWR, 0666);
    if (ftruncate(file, 4096)) return 1;
    volatile long *turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pid_t child = fork();
    if (child == 0) spin(turns);
    while (*turns < 1000000) usleep(100);
    kill(child, SIGKILL);
    return waitpid(child, NULL, 0) != child;
}
