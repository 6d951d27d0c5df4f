#include <cstdio>
struct A { virtual ~A() {} virtual int id() const { return 1; } };
struct B : virtual A { int id() const override { return 2; } };
struct C : virtual A { int id() const override { return 3; } };
struct D : B, C { int id() const override { return 4; } };
static int f(int n) {
    try {
        switch (n) { case 0: throw A(); case 1: throw B(); case 2: throw C(); case 3: throw D(); case 4: { static D d; throw &d; } case 5: throw (C *)nullptr; case 6: throw nullptr; case 7: throw (const char *)"x"; }
    } catch (B &b) { return 10 + b.id(); } catch (const A &a) { return 20 + a.id(); } catch (A *a) { return a ? 30 + a->id() : 39; } catch (const void *p) { return p ? 40 : 41; }
    return 0;
}
int main() { for (int i = 0; i < 9; i++) std::printf("%d ", f(i)); std::puts(""); }
