#include <cstdio>
#include <memory>
struct N { int v; std::shared_ptr<N> next; std::weak_ptr<N> up; ~N() { std::printf("~%d ", v); } };
static std::shared_ptr<N> chain(int n, std::weak_ptr<N> up = {}) { if (n == 0) return nullptr; auto p = std::make_shared<N>(); p->v = n; p->up = up; p->next = chain(n - 1, p); return p; }
int main() { int s = 0; { auto p = chain(4); for (auto q = p; q; q = q->next) if (auto up = q->up.lock()) s += up->v; std::weak_ptr<N> w = p->next; p->next.reset(); s += w.expired() ? 100 : 200; } std::unique_ptr<int, void (*)(int *)> u(new int(3), [](int *q) { if (*q > 2) std::printf("big "); delete q; }); std::printf("%d\n", s + *u); }
