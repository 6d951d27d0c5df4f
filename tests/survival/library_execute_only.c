//#needs: mold --help | grep -q execute-only
//#build: X="-fuse-ld=mold -Wl,--execute-only"; $CC -g -O1 $X -shared -fPIC -DLIBRARY "$HERE/library_execute_only.c" -o libx.so; $CC -g -O1 $X "$HERE/library_execute_only.c" -o prog -L. -lx -Wl,-rpath,.
//#entries: inside 1000
//#entries: main 1
//#images: 2
//#processes: 1
//#incomplete: 0
// A library in a program whose code may only be executed, not read.
#ifdef LIBRARY
__attribute__((noinline)) int inside(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
#else
int inside(int x);
int main(void) {
    int s = 0;
    for (int i = 0; i < 1000; i++) s += inside(i);
    return s == 1;
}
#endif
