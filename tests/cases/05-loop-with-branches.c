// continue and break: each iteration is a path of its own.
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        if (i % 3 == 0)
            continue;
        if (i > 50)
            break;
        sum += i;
    }
    return sum == 867 ? 0 : 1;
}
