//#build: $CC -g -O1 "$HERE/hostile_descriptors.c" -o prog -pthread
//#run: ./prog; ./prog close; ./prog kill
//#processes: 9
//#incomplete: 1
//#partial: 0
//#entries: hot 90000
//#entries: child 6
// The program gives up all descriptors that it does not have, or closes all and uses their numbers for files of its own: its
// threads, its children and their threads are counted all the same, and nothing of ours is in its files.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 2000; i++) hot(i); return x; }
static void five(void) {
    pthread_t threads[5];
    for (int i = 0; i < 5; i++) if (pthread_create(&threads[i], NULL, run, NULL)) abort();
    for (int i = 0; i < 5; i++) pthread_join(threads[i], NULL);
}
__attribute__((noinline)) static void child(int dies) { five(); if (dies) kill(getpid(), SIGKILL); exit(0); }
int main(int argc, char **argv) {
    int closes = argc > 1 && !strcmp(argv[1], "close"), kills = argc > 1 && !strcmp(argv[1], "kill"), mine = -1;
    if (closes) {
        for (int fd = 3; fd < 2000; fd++) close(fd);
        mine = open("mine", O_CREAT | O_RDWR, 0666);
        for (int fd = 3; fd < 1024; fd++) dup2(mine, fd);
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1024});
    } else {
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
    }
    five();
    for (int i = 0; i < 2; i++) {
        if (fork() == 0) child(kills && i);
        wait(NULL);
    }
    struct stat status;
    if (closes && (fstat(mine, &status) || status.st_size)) puts("something was written");
    if (!closes && open("/", O_RDONLY) >= 0) puts("a descriptor is free");
    return 0;
}
