//#with: | -O2 | -O2 -fuse-ld=lld | -fuse-ld=mold
//#build: $CC -w -g $FLAGS -fPIC -DOTHER -c "$HERE/pointer_elsewhere.c" -o other.o; $CC -w -g $FLAGS -fPIC -Dmain=begin -c "$HERE/pointer_elsewhere.c" -o begin.o; $CC $FLAGS -shared other.o begin.o -o libpointer.so; $CC -w -g $FLAGS "$HERE/pointer_library.c" -L. -lpointer -Wl,-rpath,'$ORIGIN' -o prog
//#images: 2
//#entries: f 2000
//#entries: run 1
//#entries: main 1
// As `pointer_elsewhere`, in a library.
int begin(void);
int main(void) { return begin(); }
