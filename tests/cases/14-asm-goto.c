int main(void)
{
    int count = 0;
    for (int i = 0; i < 4; i++) {
        asm goto("testl $1, %0\n\tjnz %l1" : : "r"(i) : "cc" : odd);
        count += 10;
        continue;
    odd:
        count += 1;
    }
    return count - 22;
}
