// clean: `std::latch`.
// flags: -std=c++20
#include <cstdio>
#include <latch>
#include <thread>
#include <vector>

int main() {
    int values[4] = {};
    std::latch done(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            values[i] = i;
            done.count_down();
        });
    done.wait();
    std::printf("%d\n", values[0] + values[1] + values[2] + values[3]);
    for (auto &thread : threads)
        thread.join();
}
