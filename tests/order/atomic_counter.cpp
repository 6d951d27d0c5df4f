// clean: threads take numbers of an atomic counter.
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> next;
static int values[200];

static void fill() {
    for (int i; (i = next.fetch_add(1, std::memory_order_relaxed)) < 200;)
        values[i] = i;
}

int main() {
    std::thread one(fill), other(fill);
    one.join();
    other.join();
    std::printf("%d\n", values[7]);
}
