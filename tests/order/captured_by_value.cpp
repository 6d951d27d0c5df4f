// clean: a thread has a copy.
#include <cstdio>
#include <thread>

int main() {
    int sum = 0;
    std::thread one([sum]() mutable {
        for (int i = 0; i < 10; i++)
            sum += i;
        std::printf("%d\n", sum);
    });
    sum++;
    one.join();
    std::printf("%d\n", sum);
}
