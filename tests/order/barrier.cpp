// clean: `std::barrier`, with its completion.
// flags: -std=c++20
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
    long values[4] = {}, sum = 0;
    std::barrier phase(4, [&]() noexcept {
        for (long value : values)
            sum += value;
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            for (int turn = 0; turn < 10; turn++) {
                values[i] = values[(i + turn) % 4 == i ? i : i] + i;
                phase.arrive_and_wait();
                if (sum < 0)
                    std::puts("never");
                phase.arrive_and_wait();
            }
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld\n", sum);
}
