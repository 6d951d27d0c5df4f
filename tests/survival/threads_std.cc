//#with: | -O2 -fuse-ld=lld | -static
//#entries: hot 80000
//#entries: Local::~Local 8
//#entries: key_destructor 8
// std::thread, whose threads are created inside libstdc++, and what runs while a thread ends.
#include <pthread.h>
#include <thread>
#include <vector>
static pthread_key_t key;
__attribute__((noinline)) static int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
struct Local {
    long sum = 0;
    __attribute__((noinline)) ~Local() { __asm__ volatile("" : "+r"(sum)); }
};
static thread_local Local local;
extern "C" __attribute__((noinline)) void key_destructor(void *) { __asm__ volatile(""); }
static void run() {
    pthread_setspecific(key, &local);
    for (int i = 0; i < 10000; i++) local.sum += hot(i);
}
int main() {
    pthread_key_create(&key, key_destructor);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back(run);
    for (auto &thread : threads) thread.join();
}
