//#build: $CXX -g -O1 -c -DPART=1 "$HERE/link_shapes.cc" -o one.o; $CXX -g -O1 -c -DPART=2 "$HERE/link_shapes.cc" -o two.o; $CXX -g -O1 -c -DPART=3 "$HERE/link_shapes.cc" -o three.o; ld -r one.o two.o -o both.o; ar rcT thin.a three.o; $CXX -g -O1 -DPART=0 "$HERE/link_shapes.cc" both.o thin.a -o prog; strip prog
//#entries: shared 6
//#entries: int part<1> 1
//#entries: main 1
//#incomplete: 0
// Parts linked together first, a thin archive, an inline function in all of them, and a stripped image.
inline __attribute__((noinline)) int shared(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
template <int n> int part(int x);
#if PART == 1
template <> int part<1>(int x) { return shared(x) + shared(x + 1); }
#elif PART == 2
template <> int part<2>(int x) { return shared(x) + shared(x + 1); }
#elif PART == 3
template <> int part<3>(int x) { return shared(x) + shared(x + 1); }
#else
template <> int part<1>(int); template <> int part<2>(int); template <> int part<3>(int);
int main() { return part<1>(1) + part<2>(1) + part<3>(1) == 0; }
#endif
