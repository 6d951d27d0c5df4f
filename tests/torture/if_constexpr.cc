#include <cstdio>
#include <type_traits>
template <class T> int f(T t) {
    if constexpr (std::is_pointer_v<T>) { if (t) return *t; return 0; }
    else if constexpr (sizeof(T) > 4) return t > 3 ? 8 : 4;
    else { int s = 0; while (t-- > 0) s++; return s; }
}
template <int N> int fib() { if constexpr (N < 2) return N; else return fib<N - 1>() + fib<N - 2>(); }
int main() { int x = 5; std::printf("%d %d %d %d %d\n", f(&x), f((int *)nullptr), f(2L), f(7), fib<9>()); }
