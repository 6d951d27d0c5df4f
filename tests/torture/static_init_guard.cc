#include <cstdio>
static int tries;
struct A { int n; A() { if (++tries < 3) throw tries; n = tries * 10; } ~A() { std::printf("~A %d\n", n); } };
static A &get() { static A a; return a; }
static int plain(int n) { static int first = n * 2 + tries; return first++; }
int main() { int s = 0; for (int i = 0; i < 5; i++) try { s += get().n; } catch (int x) { s += x; } for (int i = 4; i < 8; i++) s += plain(i); std::printf("%d\n", s); }
