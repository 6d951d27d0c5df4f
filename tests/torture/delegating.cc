#include <cstdio>
struct Base { int n; Base(int k) : n(k > 2 ? k : 2) {} Base(double d) : Base(int(d)) { if (d > 5) n = -n; } };
struct Der : Base { using Base::Base; int extra = n & 1 ? 3 : 4; Der() : Der(7) { n++; } Der(const char *s) : Base(0) { while (*s++) n++; } };
int main() { int s = 0; for (int i = 0; i < 8; i++) s += Der(i).n + Der(i * 1.5).extra + Der("abc").n + Der().n; std::printf("%d\n", s); }
