//#with: -O0 | -O2
//#build: $CXX -std=c++20 -g $FLAGS "$HERE/flow_coroutines.cc" -o prog
//#entries: step 1000
//#entries: main 1
// A generator: what is left of a coroutine after it is split is counted like any function.
#include <coroutine>
#include <cstdio>
struct Generator {
    struct promise_type {
        int value;
        Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
    ~Generator() { handle.destroy(); }
};
__attribute__((noinline)) static int step(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x * 3 : x / 2; }
static Generator numbers() { for (int i = 0; i < 1000; i++) co_yield step(i); }
int main() {
    long sum = 0;
    for (Generator g = numbers(); g.handle.resume(), !g.handle.done();) sum += g.handle.promise().value;
    std::printf("%ld\n", sum);
}
