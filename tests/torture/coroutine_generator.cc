// flags: -std=c++20
#include <coroutine>
#include <cstdio>
struct Gen {
    struct promise_type { int v; Gen get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; } std::suspend_always initial_suspend() { return {}; } std::suspend_always final_suspend() noexcept { return {}; } std::suspend_always yield_value(int x) { v = x; return {}; } void return_void() {} void unhandled_exception() { throw; } };
    std::coroutine_handle<promise_type> h;
    bool next() { h.resume(); return !h.done(); }
    ~Gen() { if (h) h.destroy(); }
    Gen(std::coroutine_handle<promise_type> k) : h(k) {}
    Gen(Gen &&o) : h(o.h) { o.h = nullptr; }
};
static Gen count(int n) { for (int i = 0; i < n; i++) { if (i == 3) continue; co_yield i; if (i == 6) co_return; } }
static Gen twice(int n) { auto inner = count(n); while (inner.next()) co_yield inner.h.promise().v * 2; }
int main() { int s = 0; for (int n = 0; n < 9; n++) { auto g = twice(n); while (g.next()) { s += g.h.promise().v; if (s > 60 && n == 5) break; } } std::printf("%d\n", s); }
