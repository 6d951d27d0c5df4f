// Graphs: a straight line that calls cut into blocks, and many blocks that share an end.

#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int step(int value) {
    if (value == -1) exit(1);
    return value * 3 + 1;
}

/** One way through: each call may end the program, so a block ends there. */
__attribute__((noinline)) int straight(int value) {
    int first = step(value);
    int second = step(first + 1);
    int third = step(second ^ 3);
    int fourth = step(third - 5);
    int fifth = step(fourth + 7);
    return first + second + third + fourth + fifth;
}

#define ONE(k)                                                                                     \
    if (sum % (k + 2) == 0) sum += step(k);                                                        \
    else if (sum & 4) sum ^= k;                                                                    \
    if (sum < 0 || sum == limit) goto end;
#define FOUR(k) ONE(k) ONE(k + 1) ONE(k + 2) ONE(k + 3)
#define SIXTEEN(k) FOUR(k) FOUR(k + 4) FOUR(k + 8) FOUR(k + 12)

/** Many blocks, each with a way to the end. */
__attribute__((noinline)) int ladder(int sum, int limit) {
    SIXTEEN(1)
    SIXTEEN(17)
end:
    return sum;
}

#define CASE(k)                                                                                    \
    case k: sum = step(sum ^ k); break;
#define CASES(k) CASE(k) CASE(k + 1) CASE(k + 2) CASE(k + 3) CASE(k + 4) CASE(k + 5) CASE(k + 6)

/** A switch with many cases. */
__attribute__((noinline)) int cases(int count) {
    int sum = 1;
    for (int at = 0; at < count; at++) {
        switch (at * at % 53) {
            CASES(0)
            CASES(7)
            CASES(14)
            CASES(21)
            CASES(28)
            CASES(35)
            CASES(42)
            default: sum++;
        }
        if (sum & 1) sum = step(sum);
    }
    return sum;
}

/** Two loops, one far below the other. */
__attribute__((noinline)) int loops(int count) {
    int all = 0;
    for (int at = 0; at < count; at++) {
        if (at % 3 == 0) all += step(at);
        else all -= at;
    }
    /*
     * Nothing here.
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     *
     */
    for (int at = 0; at < 40 * count; at++) {
        if (at % 5 == 0) all ^= step(at);
        else all += at;
    }
    return all;
}

int main(void) {
    int all = straight(5) + loops(9) + cases(900);
    for (int at = 0; at < 400; at++) all += ladder(at * 7919, at * 31) & 15;
    printf("%d\n", all);
    return 0;
}
