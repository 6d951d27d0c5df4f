#include <stdio.h>
static int helper(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
static int one(int n) { return n > 3 ? n : 3; }
static int two(int n) { return n * 2; }
typedef int function(int);
static function *choose(void) { return helper(3) == 3 ? one : two; }
int chosen(int) __attribute__((ifunc("choose")));
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += chosen(i); printf("%d\n", s); }
