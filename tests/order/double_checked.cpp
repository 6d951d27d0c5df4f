// race: the flag of double-checked locking is an ordinary variable.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static bool is_ready;
static int value;

static int get() {
    if (!is_ready) { // race
        std::lock_guard<std::mutex> lock(mutex);
        if (!is_ready) {
            value = 7;       // race
            is_ready = true; // race
        }
    }
    return value; // race
}

int main() {
    std::thread one([] { std::printf("%d\n", get()); });
    std::printf("%d\n", get());
    one.join();
}
