#include <setjmp.h>
#include <stdio.h>
static jmp_buf buffer;
__attribute__((noinline)) static void deep(int n) { if (n == 0) longjmp(buffer, 3); deep(n - 1); puts("never"); }
int main(void) {
    volatile int times = 0;
    int code = setjmp(buffer);
    times++;
    if (times < 4) deep(times);
    printf("%d %d\n", times, code);
}
