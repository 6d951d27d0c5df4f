//#build: $CC -g -O1 "$HERE/hostile_limits.c" -o prog -pthread
//#run: ./prog; ./prog files; ./prog size; ./prog memory; (umask 0777; ./prog); echo $?
//#incomplete: 0
//#unwritten: 1
//#partial: 1
//#processes: 5
//#entries: hot 16000
//#entries: main 5
// No descriptors, no file may grow, little address space, nothing may be read. Where no file may grow, what main counted is
// kept, and that the threads' counts are missing is said.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 1000; i++) hot(i); return x; }
static void limit(int what, rlim_t most) { setrlimit(what, &(struct rlimit){most, most}); }
int main(int argc, char **argv) {
    const char *how = argv[argc - 1];
    if (argc == 2) {
        if (!strcmp(how, "size")) limit(RLIMIT_FSIZE, 0);
        if (!strcmp(how, "memory")) limit(RLIMIT_AS, 100 << 20);
    }
    if (!strcmp(how, "files")) limit(RLIMIT_NOFILE, 3);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) if (pthread_create(&threads[i], NULL, run, NULL)) return 1;
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return 0;
}
