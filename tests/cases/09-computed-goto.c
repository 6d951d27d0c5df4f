// A computed goto ends the path before it; the next one starts at its target.
int main(void)
{
    static void *const table[] = {&&add, &&twice, &&stop};
    static const int program[] = {0, 1, 0, 1, 1, 2};
    const int *at = program;
    int x = 0;
    goto *table[*at++];
add:
    x++;
    goto *table[*at++];
twice:
    x *= 2;
    goto *table[*at++];
stop:
    return x - 12;
}
