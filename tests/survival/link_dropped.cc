//#with: -ffunction-sections -Wl,--gc-sections | -fuse-ld=lld -ffunction-sections -Wl,--gc-sections -Wl,--icf=all | -flto | -flto -fuse-ld=lld | -flto=thin -fuse-ld=lld | -ffunction-sections -Wl,--gc-sections -s | -fpath-stage=early -ffunction-sections -Wl,--gc-sections
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//g');; esac; $CXX -g -O2 $FLAGS -Wno-unused-command-line-argument -c "$HERE/link_dropped.cc" -o a.o; $CXX -g -O2 $FLAGS -Wno-unused-command-line-argument -DOTHER -c "$HERE/link_dropped.cc" -o b.o; $CXX -g -O2 $FLAGS a.o b.o -o prog
//#entries: kept 100
//#entries: twin_a 100
//#entries: twin_b 100
//#entries: shared 200
//#absent: dropped
//#absent: dropped_too
// What the linker drops is not listed; what it folds into one is not one for us.
inline __attribute__((noinline)) int shared(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
#ifdef OTHER
__attribute__((noinline)) int dropped_too(int x) { return x & 1 ? x + 2 : x - 2; }
__attribute__((noinline)) int other(int x) { return shared(x); }
#else
__attribute__((noinline)) int dropped(int x) { return x & 1 ? x + 3 : x - 3; }
__attribute__((noinline)) int kept(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 4 : x - 4; }
__attribute__((noinline)) int twin_a(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 5 : x - 5; }
__attribute__((noinline)) int twin_b(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 5 : x - 5; }
int other(int x);
int main() {
    int s = 0;
    for (int i = 0; i < 100; i++) s += kept(i) + twin_a(i) + twin_b(i) + shared(i) + other(i);
    return s == 12345;
}
#endif
