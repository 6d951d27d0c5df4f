// Three iterations are four paths: in, around twice, out.
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += i;
    return sum - 3;
}
