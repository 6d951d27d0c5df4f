// setjmp ends the path before it. What returns the second time is a new path; that of the jumping call never ends.
#include <setjmp.h>

static jmp_buf buffer;

static void jump(int value)
{
    if (value)
        longjmp(buffer, value);
}

int main(void)
{
    volatile int jumps = 0;
    int value = setjmp(buffer);
    if (value < 3) {
        jumps++;
        jump(value + 1);
    }
    return jumps - 3;
}
