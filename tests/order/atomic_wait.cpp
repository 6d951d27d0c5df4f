// clean: `std::atomic::wait` and `notify_all`.
// flags: -std=c++20
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> ready{0};
static int value;

int main() {
    std::thread reader([] {
        ready.wait(0);
        std::printf("%d\n", value);
    });
    value = 7;
    ready.store(1);
    ready.notify_all();
    reader.join();
}
