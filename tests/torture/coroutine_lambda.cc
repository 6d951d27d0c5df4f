// flags: -std=c++20
#include <coroutine>
#include <cstdio>
struct Run { struct promise_type { Run get_return_object() { return {}; } std::suspend_never initial_suspend() { return {}; } std::suspend_never final_suspend() noexcept { return {}; } void return_void() {} void unhandled_exception() { std::puts("error"); } }; };
struct Sometimes { bool ready; bool await_ready() const { return ready; } void await_suspend(std::coroutine_handle<> h) const { h.resume(); } int await_resume() const { if (ready) return 1; return 10; } };
static int total;
int main() {
    auto make = [](int n) { return [n](int k) -> Run { for (int i = 0; i < k; i++) { switch (co_await Sometimes{i % 2 == 0}) { case 1: total += n; break; default: total += 100; } if (total > 900) throw total; } co_return; }; };
    for (int i = 0; i < 6; i++) { auto f = make(i); f(i); }
    std::printf("%d\n", total);
}
