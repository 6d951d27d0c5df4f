// Several cases with one target are one edge.
static int kind(int c)
{
    switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
        return 1;
    case ' ':
        return 2;
    default:
        return 3;
    }
}

int main(void)
{
    int sum = 0;
    for (const char *at = "a sea of words"; *at; at++)
        sum += kind(*at);
    return sum == 3 * 6 + 1 * 5 + 2 * 3 ? 0 : 1;
}
