// clean: the C++ library allocates and frees a string's block, which the next thread's string gets.
#include <atomic>
#include <cstdio>
#include <malloc.h>
#include <string>
#include <thread>
#include <vector>

// Says whose turn it is, and orders nothing.
std::atomic<int> turn{0};

void work(int me, long &sum) {
    while (turn.load(std::memory_order_relaxed) != me)
        std::this_thread::yield();
    {
        std::string text;
        text.append(4000, 'x');
        for (size_t i = 0; i < text.size(); i += 50)
            text[i] = static_cast<char>('a' + me);
        sum = text[100];
    }
    turn.store(me + 1, std::memory_order_relaxed);
}

int main() {
    mallopt(M_ARENA_MAX, 1);
    std::vector<std::thread> threads;
    long sums[4] = {};
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, i, std::ref(sums[i]));
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld\n", sums[0] + sums[3]);
}
