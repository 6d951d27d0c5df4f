#include <setjmp.h>
#include <stdio.h>
static jmp_buf a, b, c, d;
static void jump(jmp_buf to, int value) { longjmp(to, value); }
int main(void) {
    volatile int n = 0;
    if (!setjmp(a)) { n++; jump(a, 1); } else n += 10;
    switch (setjmp(b)) { case 0: jump(b, 1); case 1: n += 100; jump(b, 2); case 2: n += 1000; break; default: n = -1; }
    while (setjmp(c) < 3) { static volatile int i; n += 5; jump(c, ++i); }
    if (setjmp(d) == 0 && n > 0) jump(d, 0);
    printf("%d\n", n);
}
