#include <cstdio>
#include <cstring>
#include <unwind.h>
struct A { ~A() { std::printf("~A "); } };
static void foreign(int n) { A a; static _Unwind_Exception e; if (n & 1) { std::memset(&e, 0, sizeof e); std::memcpy(&e.exception_class, "TESTtest", 8); _Unwind_RaiseException(&e); std::puts("never"); } }
int main() { int s = 0; for (int i = 0; i < 4; i++) try { foreign(i); s++; } catch (...) { s += 10; } std::printf("%d\n", s); }
