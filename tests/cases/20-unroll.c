// An unrolled loop has the paths of the unrolled body; the executions of its blocks add up all the same.
//#flags: -O3
__attribute__((noinline)) int count(const char *text, char wanted)
{
    int found = 0;
    for (; *text; text++)
        if (*text == wanted)
            found++;
    return found;
}

int main(void)
{
    return count("how many a's are in here? a few: a a a", 'a') - 7;
}
