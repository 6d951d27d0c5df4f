// The value of an expression of whole numbers: EXPRESSION.
// Bug in factor: the sign before a parenthesis is lost.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const char *at;

static long sum(void);

static long number(void) {
    long value = 0;
    while (isdigit((unsigned char)*at))
        value = value * 10 + (*at++ - '0');
    return value;
}

static void fail(const char *what) {
    printf("error: %s\n", what);
    exit(0);
}

static long factor(void) {
    long sign = 1;
    if (*at == '-') {
        sign = -1;
        at++;
    }
    if (*at == '(') {
        at++;
        long value = sum();
        if (*at != ')')
            fail("a parenthesis is open");
        at++;
#ifdef BUG
        return value; /* bug */
#else
        return sign * value;
#endif
    }
    if (!isdigit((unsigned char)*at))
        fail("a number is missing");
    return sign * number();
}

static long divide(long one, long other) {
    if (other == 0)
        fail("division by zero");
    return one / other;
}

static long product(void) {
    long value = factor();
    while (*at == '*' || *at == '/') {
        char operation = *at++;
        long next = factor();
        if (operation == '*')
            value *= next;
        else
            value = divide(value, next);
    }
    return value;
}

static long sum(void) {
    long value = product();
    while (*at == '+' || *at == '-') {
        char operation = *at++;
        long next = product();
        if (operation == '+')
            value += next;
        else
            value -= next;
    }
    return value;
}

int main(int count, char **words) {
    if (count != 2)
        return 2;
    at = words[1];
    long value = sum();
    if (*at != '\0')
        fail("something is left");
    printf("%ld\n", value);
    return 0;
}
