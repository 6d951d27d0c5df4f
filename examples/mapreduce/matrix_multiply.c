// Multiplies two made-up matrices, row by row.
#include "map.h"

enum { MOST_ROWS = 400 };

static long left[MOST_ROWS][MOST_ROWS], right[MOST_ROWS][MOST_ROWS], product[MOST_ROWS][MOST_ROWS];
static long rows;

static void fill_row(long row) {
    for (long column = 0; column < rows; column++) {
        left[row][column] = dice(row * rows + column) % 10;
        right[row][column] = dice(~(row * rows + column)) % 10;
    }
}

static long cell(long row, long column) {
    long sum = 0;
    for (long k = 0; k < rows; k++)
        if (left[row][k] != 0)
            sum += left[row][k] * right[k][column];
    return sum;
}

static void fill_part(long from, long to, int thread) {
    (void)thread;
    for (long row = from; row < to; row++)
        fill_row(row);
}

static void multiply_part(long from, long to, int thread) {
    (void)thread;
    for (long row = from; row < to; row++)
        for (long column = 0; column < rows; column++)
            product[row][column] = cell(row, column);
}

int main(int argc, char **argv) {
    int threads = threads_wanted(argc, argv);
    rows = argument(argc, argv, 1, 100);
    if (rows < 1 || rows > MOST_ROWS)
        return 1;
    map(fill_part, rows, threads);
    map(multiply_part, rows, threads);
    long check = 0;
    for (long row = 0; row < rows; row++)
        for (long column = 0; column < rows; column++)
            check = check * 3 + product[row][column];
    printf("%ld\n", check);
    return 0;
}
