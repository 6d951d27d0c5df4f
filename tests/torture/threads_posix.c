#include <pthread.h>
#include <stdio.h>
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void end(void *data) { pthread_mutex_lock(&lock); ended += *(int *)data; pthread_mutex_unlock(&lock); }
static void make(void) { made++; pthread_key_create(&key, end); }
static void clean(void *data) { pthread_mutex_lock(&lock); made += *(int *)data; pthread_mutex_unlock(&lock); }
static void *run(void *data) {
    int n = *(int *)data;
    pthread_once(&once, make);
    pthread_setspecific(key, data);
    pthread_cleanup_push(clean, data);
    for (int i = 0; i < n; i++) if (i == 3) pthread_exit(data);
    pthread_cleanup_pop(n & 1);
    return 0;
}
int main(void) {
    pthread_t all[6];
    int numbers[6];
    for (int i = 0; i < 6; i++) { numbers[i] = i; pthread_create(&all[i], 0, run, &numbers[i]); }
    int results = 0;
    for (int i = 0; i < 6; i++) { void *r; pthread_join(all[i], &r); results += r != 0; }
    printf("%d %d %d\n", made, ended, results);
}
