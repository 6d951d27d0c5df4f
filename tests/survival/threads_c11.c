//#entries: hot 20000
//#entries: run 4
#include <threads.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
static int run(void *x) { int s = 0; for (int i = 0; i < 5000; i++) s += hot(i); return s == (long)x; }
int main(void) {
    thrd_t threads[4];
    int sum = 0, result;
    for (int i = 0; i < 4; i++) if (thrd_create(&threads[i], run, (void *)-1l) != thrd_success) return 1;
    for (int i = 0; i < 4; i++) { thrd_join(threads[i], &result); sum += result; }
    return sum;
}
