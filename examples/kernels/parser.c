// Parses and evaluates sums and products in parentheses by an LR(1) table, as generated parsers do.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum token { NUMBER, PLUS, TIMES, OPEN, CLOSE, END, TOKENS };
enum { EXPRESSION, TERM, FACTOR, DEPTH = 200, ACCEPT = 99 };

// Positive: shift and go to this state. Negative: reduce by this rule. 0: an error.
static const signed char action[12][TOKENS] = {
    {5, 0, 0, 4, 0, 0},     {0, 6, 0, 0, 0, ACCEPT}, {0, -2, 7, 0, -2, -2}, {0, -4, -4, 0, -4, -4},
    {5, 0, 0, 4, 0, 0},     {0, -6, -6, 0, -6, -6},  {5, 0, 0, 4, 0, 0},    {5, 0, 0, 4, 0, 0},
    {0, 6, 0, 0, 11, 0},    {0, -1, 7, 0, -1, -1},   {0, -3, -3, 0, -3, -3}, {0, -5, -5, 0, -5, -5},
};
static const signed char after[12][3] = {
    [0] = {1, 2, 3}, [4] = {8, 2, 3}, [6] = {0, 9, 3}, [7] = {0, 0, 10},
};
static const signed char symbol[7] = {0, EXPRESSION, EXPRESSION, TERM, TERM, FACTOR, FACTOR};
static const signed char parts[7] = {0, 3, 1, 3, 1, 3, 1};

static const char *at;
static uint32_t number;

static enum token scan(void) {
    switch (*at) {
    case '\0':
        return END;
    case '+':
        at++;
        return PLUS;
    case '*':
        at++;
        return TIMES;
    case '(':
        at++;
        return OPEN;
    case ')':
        at++;
        return CLOSE;
    default:
        for (number = 0; *at >= '0' && *at <= '9'; at++)
            number = number * 10 + (uint32_t)(*at - '0');
        return NUMBER;
    }
}

static uint32_t parse(const char *text) {
    uint32_t values[DEPTH];
    signed char states[DEPTH] = {0};
    int top = 0;
    at = text;
    for (enum token next = scan();;) {
        int what = action[states[top]][next];
        if (what == ACCEPT)
            return values[top];
        if (what == 0 || top == DEPTH - 1)
            return 0;
        if (what > 0) {
            states[++top] = (signed char)what;
            values[top] = number;
            next = scan();
            continue;
        }
        uint32_t value = values[top];
        switch (-what) {
        case 1:
            value = values[top - 2] + values[top];
            break;
        case 3:
            value = values[top - 2] * values[top];
            break;
        case 5:
            value = values[top - 1];
            break;
        default:
            break;
        }
        top -= parts[-what];
        states[top + 1] = after[states[top]][symbol[-what]];
        values[++top] = value;
    }
}

static char *write(char *text, uint32_t *seed, int depth) {
    *seed = *seed * 1664525u + 1013904223u;
    uint32_t dice = *seed >> 16;
    if (depth == 0 || dice % 5 == 0)
        return text + sprintf(text, "%u", dice % 1000);
    if (dice % 5 == 1) {
        *text++ = '(';
        text = write(text, seed, depth - 1);
        *text++ = ')';
        return text;
    }
    text = write(text, seed, depth - 1);
    *text++ = dice % 2 == 0 ? '+' : '*';
    return write(text, seed, depth - 1);
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 400000;
    static char text[1 << 16];
    uint32_t seed = 8, sum = 0;
    for (long i = 0; i < rounds; i++) {
        if (i % 40 == 0)
            *write(text, &seed, 9) = '\0';
        sum = sum * 31 + parse(text);
    }
    printf("parser %u\n", sum);
    return 0;
}
