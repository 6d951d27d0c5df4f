// One block, one path.
int main(void)
{
    return 0;
}
