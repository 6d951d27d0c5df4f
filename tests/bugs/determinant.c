// The determinant of a matrix of whole numbers, modulo 10007: ORDER NUMBER ...
// Bug in eliminate: exchanged rows do not change the sign.
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 6, PRIME = 10007 };

static long matrix[MOST][MOST];

static long reduced(long number) {
    number %= PRIME;
    if (number < 0)
        number += PRIME;
    return number;
}

static long power(long base, int exponent) {
    long result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1)
            result = reduced(result * base);
        base = reduced(base * base);
    }
    return result;
}

static void subtract(int order, int from, int row, long times) {
    for (int column = from; column < order; column++)
        matrix[row][column] = reduced(matrix[row][column] - times * matrix[from][column]);
}

static long eliminate(int order) {
    long result = 1;
    for (int column = 0; column < order; column++) {
        int row = column;
        while (row < order && matrix[row][column] == 0)
            row++;
        if (row == order)
            return 0;
        if (row != column) {
            for (int at = 0; at < order; at++) {
                long old = matrix[row][at];
                matrix[row][at] = matrix[column][at];
                matrix[column][at] = old; /* bug */
            }
#ifndef BUG
            result = -result;
#endif
        }
        result = reduced(result * matrix[column][column]);
        long inverse = power(matrix[column][column], PRIME - 2);
        for (int below = column + 1; below < order; below++)
            subtract(order, column, below, reduced(matrix[below][column] * inverse));
    }
    return result;
}

int main(int count, char **words) {
    int order = count > 1 ? atoi(words[1]) : 0;
    if (order < 1 || order > MOST || count != 2 + order * order) {
        puts("no matrix");
        return 0;
    }
    for (int at = 0; at < order * order; at++)
        matrix[at / order][at % order] = reduced(atoi(words[2 + at]));
    printf("%ld\n", eliminate(order));
    return 0;
}
