//#run: ./prog; sleep 1
//#starts: 1
//#processes: 2
//#entries: work 3
// A daemon changes its directory and closes everything.
#include <sys/stat.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(void) {
    work(0);
    if (daemon(0, 0)) return 1;
    for (int fd = 0; fd < 1024; fd++) close(fd);
    umask(0777);
    work(1);
    work(2);
    return 0;
}
