#include <stdio.h>
extern int missing(int) __attribute__((weak));
__attribute__((weak)) int overridable(int n) { return n > 2 ? n : -n; }
static int real(int n) { return n & 1 ? n * 3 : n; }
int same(int) __attribute__((alias("named")));
int named(int n) { return real(n) + 1; }
static int local(int) __attribute__((weakref("named")));
int main(void) { int s = 0; for (int i = 0; i < 5; i++) { s += missing ? missing(i) : 100; s += overridable(i) + same(i) + local(i); } printf("%d\n", s); }
