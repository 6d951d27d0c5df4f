//#with: -DTHREADS=4 | -DTHREADS=0 | -DTHREADS=0 -DLEFT=4096
//#build: $CC -g -O1 $FLAGS "$HERE/hostile_cut.c" -o prog -pthread
//#run: ./prog; ./prog idle; ./prog bus; echo $?; ./prog send; echo $?
//#processes: 4
//#cut: 2
//#incomplete: 2
//#entries: after 100
// Somebody empties the file with the counters, or cuts it behind its first page: the program goes on, and what is missing is
// said. New threads make the file grow again. Without them the pages stay lost until the record is written, which reads all of
// them. A SIGBUS of the program's own ends it as ever, whether it comes from a file that it cut or from somebody who sends it.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifndef LEFT
#define LEFT 0
#endif
__attribute__((noinline)) static int after(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
__attribute__((noinline)) static void before(void) { __asm__ volatile(""); }
static void *run(void *x) { for (int i = 0; i < 25; i++) after(i); return x; }
int main(int argc, char **argv) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (argc > 1 && !strcmp(argv[1], "send")) raise(SIGBUS);
    if (argc > 1 && !strcmp(argv[1], "bus")) {
        int file = open("own", O_CREAT | O_RDWR, 0666);
        return *(volatile char *)mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    }
    before();
    char path[4096], *folder = getenv("PATHCC_PROFILE");
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strstr(path, ".raw") && truncate(path, LEFT)) puts("cannot cut");
    }
    closedir(directory);
    for (int i = 0; i < 4 - THREADS && argc == 1; i++) run(NULL);
    pthread_t threads[4];
    for (int i = 0; i < THREADS && argc == 1; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS && argc == 1; i++) pthread_join(threads[i], NULL);
    puts("ok");
    return 0;
}
