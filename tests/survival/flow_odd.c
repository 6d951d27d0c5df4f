//#with: -O0 | -O2 | -O2 -fuse-ld=lld
//#build: case $CC in clang*) FLAGS=$(echo $FLAGS | sed 's/-fpath[^ ]*//g');; esac; $CC -g $FLAGS "$HERE/flow_odd.c" -o prog
//#entries: machine 100
//#entries: gate 100
//#entries: sum_of 100
//#entries: even 100
//#entries: plus 100
// Computed goto, asm goto, varargs, tail calls that must be, an ifunc and a naked function.
#include <stdarg.h>
#include <stdio.h>
__attribute__((noinline)) static int machine(const char *code) {
    static const void *const table[] = {&&inc, &&dbl, &&end};
    int x = 1;
#define NEXT goto *table[*code++ - '0']
    NEXT;
inc: x++; NEXT;
dbl: x *= 2; NEXT;
end: return x;
}
__attribute__((noinline)) static int gate(int x) {
    __asm__ goto("testl $1, %0; jnz %l1" : : "r"(x) : "cc" : odd);
    return x;
odd:
    return -x;
}
__attribute__((noinline)) static int sum_of(int n, ...) {
    va_list list;
    int sum = 0;
    va_start(list, n);
    while (n--) sum += va_arg(list, int);
    va_end(list);
    return sum;
}
__attribute__((noinline)) static int odd_tail(int n, int acc);
__attribute__((noinline)) static int even(int n, int acc) { if (!n) return acc; __attribute__((musttail)) return odd_tail(n - 1, acc + 1); }
__attribute__((noinline)) static int odd_tail(int n, int acc) { return n > 1000 ? 0 : acc + n; }
__attribute__((noinline)) int plus(int x) { __asm__ volatile("" : "+r"(x)); return x > 5 ? x + 1 : x; }
static int (*pick(void))(int) { return plus; }
int chosen(int) __attribute__((ifunc("pick")));
__attribute__((naked, noinline)) int bare(void) { __asm__("movl $7, %eax; ret"); }
int main(void) {
    long sum = 0;
    for (int i = 0; i < 100; i++) sum += machine(i & 1 ? "0102" : "112") + gate(i) + sum_of(i % 4, 1, 2, 3) + even(i, 0) + chosen(i) + bare();
    printf("%ld\n", sum);
    return 0;
}
