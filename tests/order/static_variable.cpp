// clean: all threads wait until one of them has initialised a static variable.
#include <cstdio>
#include <thread>
#include <unistd.h>
#include <vector>

struct Table {
    long values[64];
    Table() {
        for (int i = 0; i < 64; i++) {
            values[i] = i * i;
            usleep(10);
        }
    }
};

static long use(int number) {
    static Table table;
    return table.values[number];
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
        threads.emplace_back([i] { std::printf("%s", use(i) < 0 ? "-" : ""); });
    for (auto &thread : threads)
        thread.join();
}
