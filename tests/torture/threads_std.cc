// flags: -std=c++20
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include <vector>
static std::once_flag once;
static std::atomic<int> made, sum;
static int work(int n) { std::call_once(once, [] { if (made == 0) { made++; } }); int s = 0; for (int i = 0; i < n; i++) s += i & 1 ? i : 2; if (n == 5) throw n; return s; }
int main() {
    std::vector<std::future<int>> all;
    for (int i = 0; i < 7; i++) all.push_back(std::async(std::launch::async, work, i));
    for (auto &f : all) try { sum += f.get(); } catch (int n) { sum += 100 * n; }
    { std::jthread t([](std::stop_token stop) { while (!stop.stop_requested()) std::this_thread::yield(); sum += 1000; }); }
    std::packaged_task<int(int)> task(work);
    auto result = task.get_future();
    std::thread(std::move(task), 4).join();
    std::mutex m; std::condition_variable c; bool ready = false;
    std::thread t([&] { std::lock_guard l(m); ready = true; c.notify_one(); });
    { std::unique_lock l(m); c.wait(l, [&] { return ready; }); }
    t.join();
    std::printf("%d %d %d\n", sum.load(), made.load(), result.get());
}
