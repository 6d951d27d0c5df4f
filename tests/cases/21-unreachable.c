// What the source rules out is no path, early where the optimiser removes it.
//#flags: -O1 -fpath-stage=early
enum colour { RED, GREEN, BLUE };

__attribute__((noinline)) static int number(enum colour colour)
{
    switch (colour) {
    case RED:
        return 1;
    case GREEN:
        return 2;
    case BLUE:
        return 3;
    }
    __builtin_unreachable();
}

__attribute__((noinline)) static int half(int number)
{
    if (number < 0)
        __builtin_unreachable();
    return number / 2;
}

__attribute__((noinline, optnone)) static int kept(int number)
{
    if (number < 0)
        __builtin_unreachable();
    return number / 2;
}

int main(void)
{
    return number(RED) + number(BLUE) - half(8) - kept(1);
}
