// clean: the flag of double-checked locking is atomic.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::atomic<bool> is_ready;
static int value;

static int get() {
    if (!is_ready) {
        std::lock_guard<std::mutex> lock(mutex);
        if (!is_ready) {
            value = 7;
            is_ready = true;
        }
    }
    return value;
}

int main() {
    std::thread one([] { std::printf("%d\n", get()); });
    std::printf("%d\n", get());
    one.join();
}
