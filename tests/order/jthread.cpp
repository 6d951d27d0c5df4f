// clean: `std::jthread`, which is stopped and joined.
// flags: -std=c++20
#include <atomic>
#include <cstdio>
#include <thread>

int main() {
    long turns = 0;
    std::atomic<bool> begun{false};
    {
        std::jthread worker([&](std::stop_token stop) {
            begun = true;
            while (!stop.stop_requested())
                turns++;
        });
        while (!begun)
            std::this_thread::yield();
    }
    std::printf("%d\n", turns >= 0);
}
