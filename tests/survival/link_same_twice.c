//#build: for n in one two; do mkdir $n; cp "$HERE/link_same_twice.c" $n/same.c; done; (cd one; $CC -g -O1 -DNAME=first -c same.c); (cd two; $CC -g -O1 -DNAME=second -c same.c); $CC -g -O1 -DMAIN "$HERE/link_same_twice.c" one/same.o two/same.o -o prog
//#entries: first 3
//#entries: second 5
//#entries: hidden 8
// Two units with one source name and equal static functions.
#ifdef MAIN
int first(int), second(int);
int main(void) { for (int i = 0; i < 3; i++) first(i); for (int i = 0; i < 5; i++) second(i); return 0; }
#else
__attribute__((noinline)) static int hidden(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int NAME(int x) { return hidden(x); }
#endif
