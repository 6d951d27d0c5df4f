// clean: a block that one thread frees belongs to the thread that gets it next.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
    std::atomic<long> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 50; i++)
        threads.emplace_back([&sum, i] { sum += i; });
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld\n", sum.load());
}
