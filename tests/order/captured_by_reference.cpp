// race: a thread adds to a variable of the function that goes on.
#include <cstdio>
#include <thread>

int main() {
    int sum = 0;
    std::thread one([&sum] {
        for (int i = 0; i < 10; i++)
            sum += i; // race
    });
    sum++; // race
    one.join();
    std::printf("%d\n", sum);
}
