#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
int main() { std::set_terminate([] { std::puts("terminate"); std::fflush(stdout); std::_Exit(5); }); for (int i = 0; i < 3; i++) std::thread([i] { if (i == 2) throw i; std::printf("%d\n", i); }).join(); }
