// Linear programming: the dense simplex method on random feasible programs, with the largest coefficient as pivot rule.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 40, COLUMNS = 60 };

static double table[ROWS + 1][COLUMNS + ROWS + 1];

static unsigned seed = 1;

static double next(void) {
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) / 16777216.0;
}

static void fill(void) {
    for (int i = 0; i <= ROWS; i++)
        for (int j = 0; j <= COLUMNS + ROWS; j++)
            table[i][j] = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++)
            table[i][j] = next();
        table[i][COLUMNS + i] = 1;
        table[i][COLUMNS + ROWS] = 10 + 90 * next();
    }
    for (int j = 0; j < COLUMNS; j++)
        table[ROWS][j] = -next();
}

// The column that improves the goal most, or -1 at the optimum.
static int entering(void) {
    int best = -1;
    double least = -1e-9;
    for (int j = 0; j < COLUMNS + ROWS; j++)
        if (table[ROWS][j] < least) {
            least = table[ROWS][j];
            best = j;
        }
    return best;
}

// The row that limits the column first, or -1 if none does.
static int leaving(int column) {
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < ROWS; i++) {
        if (table[i][column] <= 1e-9)
            continue;
        double ratio = table[i][COLUMNS + ROWS] / table[i][column];
        if (ratio < least) {
            least = ratio;
            best = i;
        }
    }
    return best;
}

static void pivot(int row, int column) {
    double factor = 1 / table[row][column];
    for (int j = 0; j <= COLUMNS + ROWS; j++)
        table[row][j] *= factor;
    for (int i = 0; i <= ROWS; i++) {
        double times = table[i][column];
        if (i == row || times == 0)
            continue;
        for (int j = 0; j <= COLUMNS + ROWS; j++)
            table[i][j] -= times * table[row][j];
    }
}

int main(int argc, char **argv) {
    int programs = argc > 1 ? atoi(argv[1]) : 45000;
    double goals = 0;
    long steps = 0;
    for (int n = 0; n < programs; n++) {
        fill();
        for (int column; (column = entering()) >= 0; steps++) {
            int row = leaving(column);
            if (row < 0)
                break;
            pivot(row, column);
        }
        goals += table[ROWS][COLUMNS + ROWS];
    }
    printf("%ld pivots, sum of goals %.6f\n", steps, goals);
    return 0;
}
