#include <setjmp.h>
#include <stdio.h>
static jmp_buf *top;
__attribute__((noinline)) static void fail(int n) { longjmp(*top, n); }
__attribute__((noinline)) static int try_it(int depth) {
    jmp_buf here, *volatile up = top;
    volatile int got = 0;
    top = &here;
    int code = setjmp(here);
    if (code == 0) { if (depth == 0) fail(5); got = try_it(depth - 1); if (depth == 2) fail(7); }
    else got = code + 100 * depth;
    top = up;
    return got;
}
int main(void) { for (int i = 0; i < 4; i++) printf("%d\n", try_it(i)); }
