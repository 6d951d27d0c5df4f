// race: two threads change a string that the C++ library allocated.
#include <cstdio>
#include <string>
#include <thread>

std::string text;

void work(char letter) {
    text[100] = letter;  // race
}

int main() {
    text.append(4000, 'x');
    std::thread one(work, 'a'), two(work, 'b');
    one.join();
    two.join();
    std::printf("%c\n", text[100]);
}
