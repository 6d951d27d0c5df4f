// Functions of a few instructions that call themselves twice: Fibonacci, Ackermann and binomials.
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) unsigned fibonacci(unsigned n) {
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

static __attribute__((noinline)) unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static __attribute__((noinline)) unsigned binomial(unsigned n, unsigned k) {
    if (k == 0 || k == n)
        return 1;
    return binomial(n - 1, k - 1) + binomial(n - 1, k);
}

int main(int argc, char **argv) {
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 39;
    unsigned sum = fibonacci(n);
    sum = sum * 31 + binomial(n * 3 / 4, n * 3 / 8);
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + ackermann(2, 40 * i);
    printf("recursion %u\n", sum);
    return 0;
}
