// race: without a guard each thread may initialise the variable.
// flags: -fno-threadsafe-statics
#include <thread>
#include <unistd.h>

static int made() {
    usleep(1000);
    return 7;
}

static int use() {
    static int value = made(); // race
    return value;
}

int main() {
    std::thread one(use), two(use);
    one.join();
    two.join();
}
