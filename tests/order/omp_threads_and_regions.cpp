// clean: regions that threads of the program begin.
// flags: -fopenmp
#include <cstdio>
#include <thread>
#include <vector>

int main() {
    long sums[3] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([i, &sums] {
            long sum = 0;
            for (int turn = 0; turn < 5; turn++) {
#pragma omp parallel for reduction(+ : sum) num_threads(3)
                for (int at = 0; at < 100; at++)
                    sum += at;
            }
            sums[i] = sum;
        });
    for (auto &thread : threads)
        thread.join();
    std::printf("%ld\n", sums[0] + sums[1] + sums[2]);
}
