//#build: $CC -g -O1 "$HERE/hostile_places.c" -o prog -pthread
//#run: mkdir ro; chmod 555 ro; for p in off /dev/null /dev/full/x /proc/x/ $PWD/prog/x ro/no/; do [ $(id -u) = 0 ] && [ "$p" = ro/no/ ] || PATHCC_PROFILE=$p ./prog; echo $?; done; ls -A ro
//#quiet
// Nowhere to write.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { for (int i = 0; i < 1000; i++) hot(i); return x; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    if (fork() == 0) { run(NULL); return 0; }
    int status;
    wait(&status);
    printf("%d\n", status);
    return 0;
}
