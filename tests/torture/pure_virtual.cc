#include <cstdio>
#include <cstdlib>
struct A { A() { call(); } void call() { std::printf("call\n"); std::fflush(stdout); f(); } virtual void f() = 0; };
struct B : A { void f() override {} };
extern "C" void __cxa_pure_virtual() { std::puts("pure"); std::fflush(stdout); std::_Exit(7); }
int main() { B b; }
