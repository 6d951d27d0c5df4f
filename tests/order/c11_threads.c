// clean: the threads of C11.
#include <stdio.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int value, made;

static void make(void) { made = 1; }

static int work(void *number) {
    call_once(&once, make);
    mtx_lock(&lock);
    while (value != *(int *)number)
        cnd_wait(&changed, &lock);
    value += made;
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    int numbers[4];
    thrd_t threads[4];
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
        thrd_create(&threads[i], work, &numbers[i]);
    }
    for (int i = 0; i < 4; i++)
        thrd_join(threads[i], 0);
    printf("%d\n", value);
}
