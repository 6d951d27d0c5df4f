/* How the functions of a random program are called. TABLE has them all, COUNT says how many they are. LONG makes
 * their work so many times as long. */
#ifndef LONG
#define LONG 1
#endif
#ifdef __cplusplus
#define TRY try
#define CATCH catch (int) { top = 0; }
#else
#define TRY
#define CATCH
#endif
static unsigned (*const table[])(unsigned) = {TABLE};
__attribute__((noinline)) static unsigned any(unsigned number, unsigned depth) { return table[number % COUNT](depth); }
__attribute__((noinline)) static void work(unsigned seed, int times) {
    state = seed;
    for (volatile int i = 0; i < times * LONG; i++) TRY { top = 0; table[i % COUNT](0); } CATCH
}
struct task { unsigned seed; int times, parks; };
static void *run(void *data) {
    struct task *task = (struct task *)data;
    aside = 1;
    work(task->seed, task->times);
    if (task->parks) park();
    return 0;
}
__attribute__((noinline)) static void threads(unsigned seed, int times, int number, int parks) {
    pthread_t all[4];
    static struct task tasks[4];
    for (int i = 0; i < number; i++) {
        struct task task = {seed * 31 + i, times, parks};
        tasks[i] = task;
        pthread_create(&all[i], 0, run, &tasks[i]);
    }
    if (parks) await_parked(number);
    else for (int i = 0; i < number; i++) pthread_join(all[i], 0);
}
