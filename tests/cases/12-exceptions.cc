// The path goes on from a call into the handler of what it throws.
static int thrower(int x)
{
    if (x % 3 == 1)
        throw x;
    if (x % 3 == 2)
        throw 1.5;
    return x;
}

struct Guard {
    int &count;
    ~Guard() { count++; }
};

static int caught(int x, int &guards)
{
    Guard guard{guards};
    try {
        return thrower(x);
    } catch (int y) {
        return 100 + y;
    }
}

int main()
{
    int sum = 0, guards = 0;
    for (int i = 0; i < 9; i++) {
        try {
            sum += caught(i, guards);
        } catch (double) {
            sum += 1000;
        }
    }
    return sum == 3 * 1000 + (0 + 3 + 6) + (101 + 104 + 107) && guards == 9 ? 0 : 1;
}
