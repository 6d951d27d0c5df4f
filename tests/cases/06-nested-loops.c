int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            sum++;
    return sum - 12;
}
