// flags: -std=c++23
#include <cstdio>
struct Tree { int v; Tree *l, *r; int sum(this const Tree &t) { return t.v + (t.l ? t.l->sum() : 0) + (t.r ? t.r->sum() : 0); } template <class S> auto &&get(this S &&s) { return s.v; } static int operator()(int n) { return n > 1 ? 1 : 2; } int operator[](int a, int b) const { return a > b ? v : -v; } };
int main() { Tree a{1}, b{2}, c{3, &a, &b}; int s = c.sum() + c.get() + Tree::operator()(3) + c(0) + c[1, 2] + c[2, 1]; std::printf("%d\n", s); }
