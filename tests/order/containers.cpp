// clean: threads that share nothing fill containers.
#include <cstdio>
#include <list>
#include <map>
#include <thread>
#include <unordered_map>
#include <vector>

int main() {
    std::vector<std::thread> threads;
    long sums[6] = {};
    for (int i = 0; i < 6; i++)
        threads.emplace_back([i, &sums] {
            for (int turn = 0; turn < 20; turn++) {
                std::map<int, int> ordered;
                std::unordered_map<int, int> hashed;
                std::list<int> list;
                for (int key = 0; key < 50; key++) {
                    ordered[key * 7 % 50] += i;
                    hashed[key * 7 % 50] += i;
                    list.push_front(key);
                }
                sums[i] += ordered[3] + hashed[3] + list.front();
            }
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld\n", sums[0]);
}
