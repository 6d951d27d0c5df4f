// clean: `std::shared_mutex`, `std::shared_timed_mutex`.
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

template <class Mutex> static void run() {
    Mutex lock;
    long value = 0, seen = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] {
            for (int turn = 0; turn < 30; turn++) {
                std::unique_lock<Mutex> held(lock);
                value++;
            }
        });
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] {
            long most = 0;
            for (int turn = 0; turn < 30; turn++) {
                std::shared_lock<Mutex> held(lock);
                most = value > most ? value : most;
            }
            std::unique_lock<Mutex> held(lock);
            seen += most;
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld\n", value);
}

int main() {
    run<std::shared_mutex>();
    run<std::shared_timed_mutex>();
}
