// flags: -std=c++20
#include <cstdio>
static int f(int n) { int s = 0; while (n > 0) s += n--; return s; }
struct Registry { int n; Registry(int k) : n(f(k)) { if (n > 5) n = -n; } ~Registry() { std::printf("~%d\n", n); } };
static Registry a(2), b(4);
int c = f(3) + a.n;
inline int d = c > 3 ? f(2) : 0;
template <class T> struct T1 { static int v; };
template <class T> int T1<T>::v = f(sizeof(T));
__attribute__((init_priority(200))) Registry early(1);
constinit int e = 3;
int main() { std::printf("%d %d %d %d %d\n", a.n + b.n, c, d, T1<int>::v, T1<char>::v + e + early.n); }
