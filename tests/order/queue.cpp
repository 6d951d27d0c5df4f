// clean: a queue with a mutex and a condition hands over data.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static std::deque<int *> queue;

int main() {
    std::thread consumer([] {
        int sum = 0;
        for (int i = 0; i < 50; i++) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [] { return !queue.empty(); });
            int *next = queue.front();
            queue.pop_front();
            lock.unlock();
            sum += *next;
            delete next;
        }
        std::printf("%d\n", sum);
    });
    for (int i = 0; i < 50; i++) {
        int *next = new int(i);
        {
            std::lock_guard<std::mutex> lock(mutex);
            queue.push_back(next);
        }
        changed.notify_one();
    }
    consumer.join();
}
