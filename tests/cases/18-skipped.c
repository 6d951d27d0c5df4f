// What is not counted says why.
//#flags: -fpath-filter=!left_out
__attribute__((no_profile_instrument_function)) static int asked_not_to(void)
{
    return 1;
}

static int left_out(void)
{
    return 2;
}

__attribute__((naked)) int naked(void)
{
    asm("movl $3, %eax\n\tret");
}

static int resolved(void)
{
    return 4;
}

static void *resolve(void)
{
    return (void *)resolved;
}

int chosen(void) __attribute__((ifunc("resolve")));

int main(void)
{
    return asked_not_to() + left_out() + naked() + chosen() - 10;
}
