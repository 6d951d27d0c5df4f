// clean: whoever tries again behind an exception has waited for the thread that failed.
#include <thread>
#include <unistd.h>
#include <vector>

static int attempts;
static struct failure {
} failed;

struct Table {
    int value;
    Table() {
        int attempt = ++attempts;
        usleep(1000);
        if (attempt < 3)
            throw &failed;
        value = attempt;
    }
};

static int use() {
    static Table table;
    return table.value;
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++)
        threads.emplace_back([] {
            try {
                use();
            } catch (...) {
            }
        });
    for (auto &thread : threads)
        thread.join();
}
