//#with: | -O2 | -fuse-ld=lld | -fuse-ld=mold
//#build: $CC -g -nostdlib -static-pie $FLAGS "$HERE/early_alone_pie.c" -o prog
//#quiet
// As `early_alone`, but nobody relocates it, so that no constructor of ours could run: it is not counted, and not harmed.
#include "early_alone.c"
