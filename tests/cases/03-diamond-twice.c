// Two branches in a row: four paths, of which three run. Edge counts alone could not tell which.
static int f(int a, int b)
{
    int x;
    if (a)
        x = 1;
    else
        x = 2;
    if (b)
        x += 10;
    else
        x += 20;
    return x;
}

int main(void)
{
    return f(1, 1) + f(1, 1) + f(0, 0) + f(0, 1) == 11 + 11 + 22 + 12 ? 0 : 1;
}
