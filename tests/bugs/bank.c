// Accounts a to d with 100 each, of which c and d may be overdrawn: +aN (pay in), -aN (draw),
// aAbN (a gives b so much) ...
// Bug in draw: the fee for large sums is not taken from accounts that are overdrawn.
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 4, LARGE = 80, FEE = 2, INTEREST = 5 };

static int balance[ACCOUNTS] = {100, 100, 100, 100};
static int refused;

static int may_overdraw(int account) {
    return account >= 2;
}

static int account(char name) {
    int number = name - 'a';
    return number >= 0 && number < ACCOUNTS ? number : -1;
}

static int draw(int from, int sum) {
    int fee = 0;
    if (sum >= LARGE)
        fee = FEE;
    if (balance[from] < sum + fee) {
        if (!may_overdraw(from))
            return 0;
#ifdef BUG
        balance[from] -= sum + INTEREST; /* bug */
#else
        balance[from] -= sum + fee + INTEREST;
#endif
        return 1;
    }
    balance[from] -= sum + fee;
    return 1;
}

static void pay_in(int to, int sum) {
    balance[to] += sum;
}

static int give(int from, int to, int sum) {
    if (from == to)
        return 0;
    if (!draw(from, sum))
        return 0;
    pay_in(to, sum);
    return 1;
}

static int order(const char *text) {
    int one = account(text[0] == '+' || text[0] == '-' ? text[1] : text[0]);
    if (one < 0)
        return 0;
    if (text[0] == '+') {
        pay_in(one, atoi(text + 2));
        return 1;
    }
    if (text[0] == '-')
        return draw(one, atoi(text + 2));
    int other = account(text[1]);
    return other >= 0 && give(one, other, atoi(text + 2));
}

int main(int count, char **words) {
    for (int n = 1; n < count; n++)
        if (!order(words[n]))
            refused++;
    for (int n = 0; n < ACCOUNTS; n++)
        printf("%c=%d ", 'a' + n, balance[n]);
    printf("refused %d\n", refused);
    return 0;
}
