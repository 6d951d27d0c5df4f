#include <cstdio>
#include <cstdlib>
struct S { ~S() { std::puts("static"); } } s;
struct L { ~L() { std::puts("never"); } };
static void f(int n) { L l; try { if (n == 2) throw n; std::puts("f"); throw 'c'; } catch (int) { std::exit(6); } catch (char) { if (n == 9) std::abort(); } std::puts("end"); if (n == 0) return; }
int main() { for (int i = 0; i < 4; i++) { try { f(i); } catch (...) { return 1; } } }
