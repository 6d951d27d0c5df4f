// clean: a new thread comes behind what its maker did, even if the process is killed then.
// killed: yes
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile long number;

static void *work(void *seen) {
    *(volatile long *)seen = number;
    return seen;
}

static void *kills(void *unused) {
    usleep(3000);
    kill(getpid(), SIGKILL);
    return unused;
}

int main(void) {
    pthread_t thread, killer;
    pthread_create(&killer, 0, kills, 0);
    for (;;) {
        long seen;
        number++;
        pthread_create(&thread, 0, work, &seen);
        pthread_join(thread, 0);
    }
}
