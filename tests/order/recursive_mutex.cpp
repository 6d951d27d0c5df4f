// clean: `std::recursive_mutex`, `std::timed_mutex` and `std::scoped_lock` of two.
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

static std::recursive_mutex again;
static std::timed_mutex timed;
static std::mutex one, other;
static int depth, ticks, both;

static void descend(int level) {
    std::lock_guard<std::recursive_mutex> held(again);
    depth++;
    if (level > 0)
        descend(level - 1);
}

static void work() {
    descend(5);
    if (timed.try_lock_for(std::chrono::seconds(5))) {
        ticks++;
        timed.unlock();
    }
    std::scoped_lock held(one, other);
    both++;
}

int main() {
    std::thread first(work), second(work), third(work);
    first.join();
    second.join();
    third.join();
    std::printf("%d %d %d\n", depth, ticks, both);
}
