// Counted before a call after which only a return may stand.
__attribute__((noinline)) static int even(int n);

__attribute__((noinline)) static int odd(int n)
{
    if (n == 0)
        return 0;
    __attribute__((musttail)) return even(n - 1);
}

static int even(int n)
{
    if (n == 0)
        return 1;
    __attribute__((musttail)) return odd(n - 1);
}

int main(void)
{
    return even(10) - 1;
}
