// clean: both mutexes are taken together, in any order.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex one, other;
static int x;

int main() {
    std::thread thread([] {
        for (int i = 0; i < 20; i++) {
            std::scoped_lock lock(one, other);
            x++;
        }
    });
    for (int i = 0; i < 20; i++) {
        std::scoped_lock lock(other, one);
        x++;
    }
    thread.join();
    std::printf("%d\n", x);
}
