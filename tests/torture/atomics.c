#include <stdatomic.h>
#include <stdio.h>
static atomic_int value;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int f(int n) {
    int old = atomic_load(&value), tries = 0;
    do { if (++tries > 3) break; } while (!atomic_compare_exchange_weak(&value, &old, old + n));
    while (atomic_flag_test_and_set(&lock)) { }
    atomic_flag_clear(&lock);
    return __sync_bool_compare_and_swap((int *)&value, 100, 0) ? 50 : __atomic_fetch_add((int *)&value, 1, __ATOMIC_SEQ_CST);
}
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += f(i); printf("%d %d\n", s, value); }
