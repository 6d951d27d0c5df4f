//#status: 134
//#incomplete: 1
//#entries: thrower 1
//#entries: promise 1
//#entries: main 1
#include <stdexcept>
__attribute__((noinline)) void thrower() { __asm__ volatile(""); throw 1; }
__attribute__((noinline)) void promise() noexcept { thrower(); __asm__ volatile(""); }
int main() { promise(); }
