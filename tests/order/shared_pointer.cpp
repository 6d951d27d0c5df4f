// clean: the last owner of a `std::shared_ptr` deletes behind what all others did.
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Node {
    long values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ~Node() { values[0] = 0; }
};

int main() {
    std::vector<std::thread> threads;
    long sums[6] = {};
    for (int turn = 0; turn < 10; turn++) {
        auto node = std::make_shared<Node>();
        for (int i = 0; i < 6; i++)
            threads.emplace_back([node, i, &sums] { sums[i] += node->values[i]; });
        node.reset();
        for (auto &thread : threads)
            thread.join();
        threads.clear();
    }
    std::printf("%ld\n", sums[0]);
}
