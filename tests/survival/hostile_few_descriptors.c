//#build: $CC -g -O1 "$HERE/hostile_few_descriptors.c" -o prog
//#run: (ulimit -n 7; ./prog); (ulimit -n 300; ./prog); (ulimit -S -n 7; ./prog); (ulimit -S -n 1000; ./prog); (ulimit -S -n 1024; ./prog)
//#processes: 10
//#entries: hot 550
// The program may have few descriptors, and takes all of them: as many as without us, whether or not its limit may be raised.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static int all(void) {
    int count = 0;
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) count++;
    return count;
}
int main(void) {
    printf("%d\n", all());
    fflush(stdout);
    for (int i = 0; i < 100; i++) hot(i);
    if (fork() == 0) {
        for (int fd = 3; fd < 6; fd++) close(fd);
        printf("%d\n", all());
        fflush(stdout);
        for (int i = 0; i < 10; i++) hot(i);
        exit(0);
    }
    wait(NULL);
    return 0;
}
