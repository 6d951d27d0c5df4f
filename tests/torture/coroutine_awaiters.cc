// flags: -std=c++20
#include <coroutine>
#include <cstdio>
static std::coroutine_handle<> waiting;
struct Maybe { int n; bool await_ready() { return n & 1; } bool await_suspend(std::coroutine_handle<> h) { if (n & 2) return false; waiting = h; return true; } int await_resume() { return n > 4 ? n : 1; } };
struct Fire { struct promise_type { Fire get_return_object() { return {}; } std::suspend_never initial_suspend() { return {}; } std::suspend_never final_suspend() noexcept { return {}; } void return_void() {} void unhandled_exception() { std::puts("lost"); } Maybe await_transform(int n) { return {n}; } }; };
static int total;
struct Scope { ~Scope() { total += 1000; } };
static Fire run(int n) { Scope a; for (int i = 0; i < n; i++) { total += co_await i; if (total % 7 == 3) throw 1; } auto inner = [](int k) -> Fire { total += co_await k; }; inner(n); }
int main() { for (int i = 0; i < 7; i++) { run(i); for (int k = 0; waiting && k < 9; k++) { auto h = waiting; waiting = nullptr; if (i == 6 && k == 1) h.destroy(); else h.resume(); } } std::printf("%d\n", total); }
