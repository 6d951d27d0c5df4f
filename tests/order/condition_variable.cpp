// clean: a queue with `std::condition_variable`.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

int main() {
    std::mutex lock;
    std::condition_variable ready;
    std::deque<std::vector<int>> queue;
    bool done = false;
    long sums[3] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, i] {
            for (;;) {
                std::unique_lock<std::mutex> held(lock);
                ready.wait(held, [&] { return done || !queue.empty(); });
                if (queue.empty())
                    return;
                auto work = std::move(queue.front());
                queue.pop_front();
                held.unlock();
                for (int value : work)
                    sums[i] += value;
            }
        });
    for (int i = 0; i < 60; i++) {
        std::lock_guard<std::mutex> held(lock);
        queue.emplace_back(20, i);
        ready.notify_one();
    }
    {
        std::lock_guard<std::mutex> held(lock);
        done = true;
    }
    ready.notify_all();
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld\n", sums[0] + sums[1] + sums[2]);
}
