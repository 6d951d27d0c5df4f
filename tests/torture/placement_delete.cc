#include <cstdio>
#include <new>
static char room[256];
static int deletes;
struct A {
    int n;
    A(int k) : n(k) { if (k & 1) throw k; }
    static void *operator new(std::size_t size, int tag) { return size > 100 ? nullptr : room + tag; }
    static void operator delete(void *, int tag) { deletes += tag; }
    static void operator delete(void *) { deletes += 100; }
};
int main() { int s = 0; for (int i = 0; i < 6; i++) try { A *a = new (i * 8) A(i); s += a->n; delete a; } catch (int n) { s += 10 * n; } std::printf("%d %d\n", s, deletes); }
