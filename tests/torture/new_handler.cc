#include <cstdio>
#include <cstdlib>
#include <new>
static int left = 3;
void *operator new(std::size_t n) { for (;;) { if (n < 4096) if (void *p = std::malloc(n)) return p; if (auto h = std::get_new_handler()) h(); else throw std::bad_alloc(); } }
void operator delete(void *p) noexcept { if (p) std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
static void more() { if (--left == 0) std::set_new_handler(nullptr); }
int main() { std::set_new_handler(more); int s = 0; for (int i = 0; i < 4; i++) { auto *p = new int(i); s += *p; delete p; } try { volatile std::size_t big = 5000; void *p = ::operator new(big); s += p != nullptr; } catch (std::bad_alloc &) { s += 100; } std::printf("%d %d\n", s, left); }
