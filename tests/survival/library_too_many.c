//#build: $CC -g -O1 -fPIC -shared -DLIBRARY "$HERE/library_many.c" -o lib0.so; for i in $(seq 299); do cp lib0.so lib$i.so; done; $CC -g -O1 "$HERE/library_too_many.c" -pthread -o prog
//#entries: main 1
//#incomplete: 0
//#unregistered: yes
// More libraries than there are words to be lent: the last ones count all threads together, and say so.
#define LIBRARIES 300
#include "library_many.c"
