/* Probes of random programs: each adds to memory that outlives every process. Never counted. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PROBES = 1000 };
static long *truth;

__attribute__((constructor)) static void start(void) {
    const char *name = getenv("TRUTH");
    int file = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ftruncate(file, PROBES * sizeof(long)) != 0) abort();
    truth = mmap(0, PROBES * sizeof(long), PROT_READ | PROT_WRITE, file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, file, 0);
    if (truth == MAP_FAILED) abort();
}

#define ONE(k) void p##k(void) { __atomic_fetch_add(&truth[k - 1000], 1, __ATOMIC_RELAXED); }
#include "probes.h"

/* A thread that stays where it is until the process ends. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int parked;

void park(void) {
    pthread_mutex_lock(&lock);
    parked++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (;;) pause();
}

void await_parked(int number) {
    pthread_mutex_lock(&lock);
    parked -= number;
    while (parked < 0) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
