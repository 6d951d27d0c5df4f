// flags: -std=gnu23
#include <stdio.h>
typedef int op(const char *code, int value);
static op step;
static int add(const char *code, int value) { [[clang::musttail]] return step(code + 1, value + 1); }
static int twice(const char *code, int value) { __attribute__((musttail)) return step(code + 1, value * 2); }
static int stop(const char *, int value) { return value; }
static int step(const char *code, int value) {
    static op *const table[] = {stop, add, twice};
    op *next = table[*code == '+' ? 1 : *code == '*' ? 2 : 0];
    [[clang::musttail]] return next(code, value);
}
int main(void) { printf("%d %d\n", step("+*+*+", 1), step("", 5)); }
