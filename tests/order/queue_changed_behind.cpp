// race: who hands over data changes it afterwards.
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::deque<int *> queue;

int main() {
    std::thread consumer([] {
        for (int i = 0; i < 50;) {
            std::unique_lock<std::mutex> lock(mutex);
            if (queue.empty())
                continue;
            int *next = queue.front();
            queue.pop_front();
            lock.unlock();
            ++*next; // race
            i++;
        }
    });
    static int numbers[50];
    for (int i = 0; i < 50; i++) {
        {
            std::lock_guard<std::mutex> lock(mutex);
            queue.push_back(&numbers[i]);
        }
        numbers[i] = i; // race
    }
    consumer.join();
    std::printf("%d\n", numbers[7]);
}
