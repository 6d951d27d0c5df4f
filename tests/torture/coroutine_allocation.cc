// flags: -std=c++20
#include <coroutine>
#include <cstdio>
#include <new>
static int allocations;
struct Obj { int v; struct promise_type { int v; promise_type(int n) : v(n) { if (n == 4) throw n; } static void *operator new(std::size_t s, std::nothrow_t) noexcept { return ++allocations == 3 ? nullptr : ::operator new(s); } static void *operator new(std::size_t s) noexcept { return ++allocations == 3 ? nullptr : ::operator new(s, std::nothrow); } static void operator delete(void *p) { ::operator delete(p); } static Obj get_return_object_on_allocation_failure() { return {-1}; } Obj get_return_object() { return {v}; } std::suspend_never initial_suspend() { return {}; } std::suspend_never final_suspend() noexcept { return {}; } void return_void() {} void unhandled_exception() {} }; };
static Obj make(int n) { if (n > 2) co_return; co_await std::suspend_never{}; }
int main() { int s = 0; for (int i = 0; i < 6; i++) try { s = s * 5 + make(i).v; } catch (int x) { s += x; } std::printf("%d %d\n", s, allocations > 3); }
