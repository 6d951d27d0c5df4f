#include <cstdio>
#include <cstdlib>
#include <exception>
struct A { int n; ~A() noexcept(false) { if (n > 1) throw n; std::printf("~%d ", n); } };
static void run(int n) { A a{n}; if (n == 3) throw 'x'; }
int main() {
    std::set_terminate([] { std::puts("terminate"); std::exit(4); });
    for (int i = 0; i < 5; i++) try { run(i); } catch (int x) { std::printf("caught %d ", x); }
}
