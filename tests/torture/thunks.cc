#include <cstdio>
struct A { int a = 1; virtual int f(int n) { return n; } virtual A *self() { return this; } virtual ~A() { std::printf("~A "); } };
struct B { int b = 2; virtual int g(int n) { return n + 1; } virtual B *me() { return this; } virtual ~B() { std::printf("~B "); } };
struct C : A, B { int f(int n) override { return n > 2 ? n * 2 : a; } int g(int n) override { for (int i = 0; i < n; i++) b++; return b; } C *self() override { return this; } C *me() override { return b > 3 ? this : nullptr; } ~C() { std::printf("~C "); } };
struct V { virtual int h(int n) { return n; } int v = 4; virtual ~V() {} };
struct L : virtual V { int h(int n) override { return n & 1 ? v : n; } };
struct R : virtual V { int r = 6; };
struct D : L, R { int h(int n) override { return L::h(n) + r; } };
int main() { int s = 0; for (int i = 0; i < 5; i++) { C *c = new C; B *b = c; A *a = c; s += a->f(i) + b->g(i) + (b->me() ? 10 : 20) + a->self()->a; if (i & 1) delete b; else delete a; D d; V &v = d; R &r = d; s += v.h(i) + r.h(i); } std::printf("%d\n", s); }
