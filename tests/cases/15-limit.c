// Sixteen paths are too many for this limit: the function is cut, and no execution is lost.
//#flags: -fpath-limit=8
static int f(int bits)
{
    int x = 0;
    if (bits & 1)
        x += 1;
    if (bits & 2)
        x += 2;
    if (bits & 4)
        x += 4;
    if (bits & 8)
        x += 8;
    return x;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += f(i);
    return sum - 120;
}
