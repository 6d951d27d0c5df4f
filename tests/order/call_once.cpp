// clean: `std::call_once`.
#include <cstdio>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

static std::once_flag flag;
static int value;

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back([] {
            std::call_once(flag, [] {
                usleep(500);
                value = 7;
            });
            if (value != 7)
                std::puts("early");
        });
    for (auto &thread : threads)
        thread.join();
}
