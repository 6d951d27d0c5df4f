// clean: promises, packaged tasks and `std::async`.
#include <cstdio>
#include <future>
#include <thread>
#include <vector>

int main() {
    std::vector<int> values(100, 1);
    auto sum = std::async(std::launch::async, [&] {
        long sum = 0;
        for (int value : values)
            sum += value;
        return sum;
    });
    int plain = 0;
    std::promise<void> done;
    std::thread setter([&] {
        plain = 7;
        done.set_value();
    });
    done.get_future().wait();
    std::packaged_task<int(int)> task([&](int by) { return plain * by; });
    auto product = task.get_future();
    std::thread worker(std::move(task), 6);
    std::printf("%ld %d\n", sum.get(), product.get());
    setter.join();
    worker.join();
}
