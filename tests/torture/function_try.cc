#include <cstdio>
struct A { int n; A(int k) : n(k) { if (k == 2) throw k; } ~A() { std::printf("~A%d ", n); } };
struct B {
    A one, two;
    B(int k) try : one(k), two(k + 1) { if (k == 5) throw 1.5; } catch (int x) { std::printf("B%d ", x); } catch (...) { std::printf("B? "); throw 7; }
};
struct C { int k; ~C() noexcept(false) try { if (k == 3) throw k; } catch (int x) { std::printf("C%d ", x); if (k == 3) return; } };
static int f(int n) try { if (n & 1) throw n; return n; } catch (int x) { return x * 100; }
int main() {
    int s = 0;
    for (int i = 0; i < 7; i++) { try { B b(i); C c{i}; s += f(i); } catch (int x) { s += 1000 * x; } }
    std::printf("%d\n", s);
}
