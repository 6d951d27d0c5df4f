#include <stdio.h>
#include <ucontext.h>
int main(void) {
    volatile int times = 0;
    ucontext_t here;
    getcontext(&here);
    times++;
    if (times < 5) setcontext(&here);
    printf("%d\n", times);
}
