//#entries: main 3
//#entries: work 6
//#processes: 1
//#incomplete: 2
//#unlike
// The program executes itself twice: three lives of one process, of which each is kept.
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(int argc, char **argv) {
    work(0);
    work(1);
    if (argc < 3) {
        char *more[] = {argv[0], "a", argc == 2 ? "b" : NULL, NULL};
        execv(argv[0], more);
        return 1;
    }
    return 0;
}
