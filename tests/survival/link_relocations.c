//#with: -pie | -fuse-ld=lld -pie | -static-pie | -fuse-ld=mold -static-pie | -no-pie | -shared
//#needs: ld.bfd --help | grep -q pack-relative-relocs
//#build: R=-Wl,-z,pack-relative-relocs; if [ "$FLAGS" = -shared ]; then $CC -g -O1 -shared -fPIC -DLIBRARY $R "$HERE/link_relocations.c" -o libx.so; $CC -g -O1 $R "$HERE/link_relocations.c" -L. -lx -Wl,-rpath,. -o prog; else $CC -g -O1 -fPIE -DLIBRARY -c "$HERE/link_relocations.c" -o x.o; $CC -g -O1 -fPIE $FLAGS $R "$HERE/link_relocations.c" x.o -o prog; fi
//#entries: inside 1000
//#entries: main 1
//#processes: 1
//#incomplete: 0
// Relative relocations that are packed: what the runtime knows of its image needs some.
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
