// clean: `std::counting_semaphore`.
// flags: -std=c++20
#include <cstdio>
#include <semaphore>
#include <thread>

int main() {
    std::counting_semaphore<8> full(0), empty(1);
    int slot = 0;
    std::thread producer([&] {
        for (int i = 0; i < 50; i++) {
            empty.acquire();
            slot = i;
            full.release();
        }
    });
    long sum = 0;
    for (int i = 0; i < 50; i++) {
        full.acquire();
        sum += slot;
        empty.release();
    }
    producer.join();
    std::printf("%ld\n", sum);
}
