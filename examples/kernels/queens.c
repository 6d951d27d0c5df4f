// Counts the solutions of the n-queens problem by backtracking with an array of rows: recursion, early exits.
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 16 };

static int row_of[LARGEST];
static long solutions, checksum;

static int attacked(int column, int row) {
    for (int other = 0; other < column; other++) {
        int distance = column - other;
        if (row_of[other] == row)
            return 1;
        if (row_of[other] == row - distance || row_of[other] == row + distance)
            return 1;
    }
    return 0;
}

static void place(int column, int size) {
    if (column == size) {
        solutions++;
        for (int i = 0; i < size; i++)
            checksum = (checksum * 17 + row_of[i]) % 1000003;
        return;
    }
    for (int row = 0; row < size; row++) {
        if (attacked(column, row))
            continue;
        row_of[column] = row;
        place(column + 1, size);
    }
}

int main(int argc, char **argv) {
    int size = argc > 1 ? atoi(argv[1]) : 13;
    if (size < 1 || size > LARGEST)
        return 2;
    place(0, size);
    printf("queens %d %ld %ld\n", size, solutions, checksum);
    return 0;
}
