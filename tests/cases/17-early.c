// Before optimisation: the branches of the source, even where -O2 makes a select of them.
//#flags: -O2 -fpath-stage=early
__attribute__((noinline)) int larger(int a, int b)
{
    if (a > b)
        return a;
    return b;
}

int main(void)
{
    return larger(1, 2) + larger(3, 2) + larger(5, 4) - 10;
}
