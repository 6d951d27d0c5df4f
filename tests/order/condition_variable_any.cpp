// clean: `std::condition_variable_any` with a lock for readers and writers.
#include <condition_variable>
#include <cstdio>
#include <shared_mutex>
#include <thread>

int main() {
    std::shared_mutex lock;
    std::condition_variable_any ready;
    int value = 0;
    std::thread reader([&] {
        std::shared_lock<std::shared_mutex> held(lock);
        ready.wait(held, [&] { return value != 0; });
        std::printf("%d\n", value);
    });
    {
        std::unique_lock<std::shared_mutex> held(lock);
        value = 7;
    }
    ready.notify_all();
    reader.join();
}
