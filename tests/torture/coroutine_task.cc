// flags: -std=c++20
#include <coroutine>
#include <cstdio>
#include <exception>
template <class T> struct Task {
    struct promise_type {
        T v; std::coroutine_handle<> then = std::noop_coroutine(); std::exception_ptr error;
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        struct Final { bool await_ready() noexcept { return false; } std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().then; } void await_resume() noexcept {} };
        Final final_suspend() noexcept { return {}; }
        void return_value(T x) { v = x; }
        void unhandled_exception() { error = std::current_exception(); }
    };
    std::coroutine_handle<promise_type> h;
    ~Task() { h.destroy(); }
    bool await_ready() { return h.done(); }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> who) { h.promise().then = who; return h; }
    T await_resume() { if (h.promise().error) std::rethrow_exception(h.promise().error); return h.promise().v; }
};
static Task<int> leaf(int n) { if (n == 3) throw n; co_return n & 1 ? n * 2 : n; }
static Task<int> middle(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i & 2) s += co_await leaf(i); else s++; } co_return s > 3 ? s : co_await leaf(s); }
static Task<int> top(int n) { try { co_return co_await middle(n); } catch (int x) { co_return -x; } }
int main() { int s = 0; for (int i = 0; i < 6; i++) { auto t = top(i); t.h.resume(); s = s * 3 + t.h.promise().v; } std::printf("%d\n", s); }
