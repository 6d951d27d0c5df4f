#include <algorithm>
#include <cstdio>
#include <cstdlib>
static int compare(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; if (x == 7 || y == 7) throw x; return x - y; }
static int f(int *p, int n) { try { std::qsort(p, n, sizeof *p, compare); return 1; } catch (int) { return 2; } }
int main() { int a[] = {3, 1, 2}, b[] = {5, 7, 6}; std::printf("%d %d\n", f(a, 3), f(b, 3)); }
