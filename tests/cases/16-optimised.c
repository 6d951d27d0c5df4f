// After optimisation: `square` is inlined, and the paths are those of the code that runs.
//#flags: -O2
#include <stdio.h>

static int square(int x)
{
    return x * x;
}

__attribute__((noinline)) int collatz(long n)
{
    int steps = 0;
    while (n != 1) {
        if (n % 2)
            n = 3 * n + 1;
        else
            n /= 2;
        steps++;
    }
    return square(steps);
}

int main(void)
{
    printf("%d\n", collatz(27));
    return 0;
}
