// A branch with one arm: two paths of `odd`, taken twice and three times.
static int odd(int x)
{
    if (x % 2)
        x++;
    return x;
}

int main(void)
{
    int sum = 0;
    sum += odd(1);
    sum += odd(2);
    sum += odd(3);
    sum += odd(4);
    sum += odd(6);
    return sum == 18 ? 0 : 1;
}
