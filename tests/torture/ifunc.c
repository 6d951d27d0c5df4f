#include <stdio.h>
static int one(int n) { return n > 3 ? n : 3; }
static int two(int n) { return n * 2; }
typedef int function(int);
__attribute__((no_profile_instrument_function)) static function *choose(void) { __builtin_cpu_init(); return __builtin_cpu_supports("sse2") ? one : two; }
int chosen(int) __attribute__((ifunc("choose")));
int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += chosen(i); printf("%d\n", s); }
