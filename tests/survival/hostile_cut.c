//#build: $CC -g -O1 $HERE/hostile_cut.c -o prog -pthread
//#run: ./prog; ./prog bus; echo $?; ./prog send; echo $?
//#processes: 3
//#cut: 1
//#incomplete: 2
//#entries: after 100
// Somebody empties the file with the counters: the program goes on, and what is missing is said. A SIGBUS of the program's own ends
// it as ever, whether it comes from a file that it cut or from somebody who sends it.
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
__attribute__((noinline)) static int after(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
__attribute__((noinline)) static void before(void) { __asm__ volatile(""); }
static void *run(void *x) { for (int i = 0; i < 25; i++) after(i); return x; }
int main(int argc, char **argv) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (argc > 1 && !strcmp(argv[1], "send")) raise(SIGBUS);
    if (argc > 1) {
        int file = open("own", O_CREAT | O_RDWR, 0666);
        return *(volatile char *)mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    }
    before();
    char path[4096], *folder = getenv("PATHCC_PROFILE");
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strstr(path, ".raw") && truncate(path, 0)) puts("cannot cut");
    }
    closedir(directory);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    puts("ok");
    return 0;
}
