#include <cstdio>
static int made, gone;
struct A { A() { if (++made % 5 == 0) throw made; } ~A() { gone++; } };
int main() {
    int s = 0;
    for (int i = 1; i < 5; i++) {
        try { A a[3]; s++; } catch (int) { s += 10; }
        try { A *a = new A[i]; s += 100; delete[] a; } catch (int) { s += 1000; }
    }
    std::printf("%d %d %d\n", s, made, gone);
}
