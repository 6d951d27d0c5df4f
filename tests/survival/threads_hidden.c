//#with: | -O2 | -no-pie | -static | -O2 -fuse-ld=lld
//#entries: tick 20
//#entries: busy 1
//#entries: main 1
//#unregistered: yes
//#incomplete: 0
// Threads that the C library creates by itself for a timer, while the thread that made the timer counts.
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
static sem_t done;
static volatile int ticks, stop;
__attribute__((noinline)) static void step(int x) { if (x & 1) __asm__ volatile("nop"); }
__attribute__((noinline)) static void tick(union sigval value) {
    for (int i = 0; i < value.sival_int; i++) step(i);
    if (__atomic_add_fetch(&ticks, 1, __ATOMIC_SEQ_CST) == 20) stop = 1;
    sem_post(&done);
}
__attribute__((noinline)) static void busy(void) { for (unsigned i = 0; !stop; i++) step((int)i); }
int main(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick, .sigev_value.sival_int = 1000};
    sem_init(&done, 0, 0);
    for (int i = 0; i < 20; i++) {
        timer_t timer;
        struct itimerspec soon = {.it_value.tv_nsec = 1000000};
        if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, NULL)) return 1;
    }
    busy();
    for (int i = 0; i < 20; i++) sem_wait(&done);
    puts("done");
    return 0;
}
