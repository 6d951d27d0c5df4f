#include <cstdio>
#include <typeinfo>
struct A { virtual ~A() {} }; struct B : A { int n = 3; }; struct C : virtual A {}; struct D : C { };
static int f(A *a) { int s = 0; if (auto *b = dynamic_cast<B *>(a)) s += b->n; if (dynamic_cast<C *>(a)) s += 10; if (dynamic_cast<D *>(a)) s += 20; if (typeid(*a) == typeid(C)) s += 40; if (dynamic_cast<void *>(a) == a) s += 80; return s; }
int main() { A a; B b; C c; D d; std::printf("%d %d %d %d\n", f(&a), f(&b), f(&c), f(&d)); }
