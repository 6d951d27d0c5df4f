//#build: case $CC in clang*) FLAGS=;; esac; $CXX -g -O1 $FLAGS "$HERE/death_nested_exit.cc" -o prog
//#entries: main 1
//#entries: deep 10
//#flying: deep 9
//#flying: main 1
//#incomplete: 0
// exit, called deep below main: frames that never end.
#include <cstdlib>
__attribute__((noinline)) void deep(int n) { if (n == 1) exit(0); deep(n - 1); __asm__ volatile(""); }
int main() { deep(10); __asm__ volatile(""); return 1; }
