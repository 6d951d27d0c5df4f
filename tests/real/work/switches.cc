// One of each construct that a technique of pathcc looks at; prints what it computed.
#include <setjmp.h>
#include <stdio.h>

namespace {

unsigned state = 1;
unsigned dice(unsigned sides)
{
    state = state * 1103515245 + 12345;
    return (state >> 16) % sides;
}

// A short loop in which several ways meet before its last branch.
__attribute__((noinline)) long sift(const int *values, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        if (values[i] % 3 == 0)
            sum += values[i] * sum;
        else if (values[i] % 5 == 1)
            sum ^= values[i];
        if (sum % 7 == 3)
            continue;
        sum -= i;
        if (sum > 1L << 40)
            break;
    }
    return sum;
}

// A loop of one block, and one within another.
__attribute__((noinline)) unsigned steps(unsigned n)
{
    unsigned all = 0;
    for (unsigned at = n; at > 1; at = at % 2 ? 3 * at + 1 : at / 2)
        all++;
    for (unsigned row = 0; row < n % 9; row++)
        for (unsigned column = row; column < n % 7; column++)
            all += row & column;
    return all;
}

// Calls in tail position, on ways that are taken often and seldom.
__attribute__((noinline)) long other(long x) { return x * 3 + 1; }
__attribute__((noinline)) long twice(long x);
__attribute__((noinline)) long leave(long x)
{
    if (x % 4 == 0)
        return other(x);
    if (x % 4 == 1)
        return twice(x);
    return x;
}
long twice(long x) { return x > 100000 ? x : leave(2 * x + 1); }

// Entries of a function that may be left in its middle: by an exception, and by a jump.
jmp_buf back;
__attribute__((noinline)) long dare(int kind, long x)
{
    if (kind > 2)
        return x - kind;
    if (kind == 0)
        throw x;
    if (kind == 1)
        longjmp(back, 1);
    return other(x) + kind;
}
__attribute__((noinline)) long attempt(long x)
{
    try {
        return dare(dice(12) == 0 ? 0 : 3 + dice(4), x) + dare(2 + dice(3), x);
    } catch (long) {
        return -x;
    }
}
__attribute__((noinline)) long jump(long x)
{
    volatile long kept = x;
    if (setjmp(back))
        return kept + 5;
    return dare(dice(9) == 0 ? 1 : 2, x);
}

// An interpreter: a computed goto that all handlers share.
__attribute__((noinline)) long interpret(const unsigned char *at, long x)
{
    static void *const table[] = {&&add, &&twice, &&test, &&stop};
next:
    goto *table[*at++];
add:
    x++;
    goto next;
twice:
    x = x * 2 % 100003;
    goto next;
test:
    if (x % 2)
        x = other(x);
    goto next;
stop:
    return x;
}

// More paths than the limit, among them some that are seldom taken.
__attribute__((noinline)) long many(unsigned bits)
{
    long x = 1;
    for (unsigned round = 0; round < 3; round++) {
#define WAY(n) \
    if (bits >> n & 1) \
        x = x * (n + 3) % 1000003; \
    else if (bits % (n + 2) == 1) \
        x += other(n);
        WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7) WAY(8)
    }
    return x;
}

__attribute__((noinline)) int choose(unsigned kind)
{
    switch (kind) {
    case 0: return 7;
    case 1: return static_cast<int>(other(kind));
    case 2:
    case 3: return -1;
    case 9: return 3;
    default: return static_cast<int>(kind);
    }
}

} // namespace

int main()
{
    int values[300];
    for (int &value : values)
        value = static_cast<int>(dice(1000));
    long sum = 0;
    for (int round = 0; round < 200; round++) {
        sum += sift(values, 100 + round) + steps(dice(500) + 1) + leave(dice(4000));
        sum += attempt(round) + jump(round) + many(dice(512)) + choose(dice(12));
        unsigned char program[40];
        for (unsigned char &word : program)
            word = static_cast<unsigned char>(dice(3));
        program[39] = 3;
        sum = interpret(program, sum) % 1000000007;
    }
    printf("%ld\n", sum);
}
