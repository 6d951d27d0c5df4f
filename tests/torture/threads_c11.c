#include <stdio.h>
#include <threads.h>
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static mtx_t lock;
static int made;
static thread_local int own = 3;
static void make(void) { made++; tss_create(&key, 0); mtx_init(&lock, mtx_plain); }
static int run(void *data) { call_once(&once, make); own += *(int *)data; mtx_lock(&lock); made += 10; mtx_unlock(&lock); if (own > 4) thrd_exit(own); return 1; }
int main(void) {
    thrd_t all[4];
    int n[4], sum = 0;
    for (int i = 0; i < 4; i++) { n[i] = i; thrd_create(&all[i], run, &n[i]); }
    for (int i = 0; i < 4; i++) { int r; thrd_join(all[i], &r); sum += r; }
    printf("%d %d %d\n", sum, made, own);
}
