// The covariances of the rows of a made-up matrix, as for a principal component analysis.
#include "map.h"

enum { COLUMNS = 50, MOST_ROWS = 400 };

static long matrix[MOST_ROWS][COLUMNS], mean[MOST_ROWS];
static long covariance[MOST_ROWS][MOST_ROWS];
static long rows;

static void fill_row(long row) {
    for (int column = 0; column < COLUMNS; column++)
        matrix[row][column] = dice(row * COLUMNS + column) % 100;
}

static long mean_of(long row) {
    long sum = 0;
    for (int column = 0; column < COLUMNS; column++)
        sum += matrix[row][column];
    return sum / COLUMNS;
}

static void mean_part(long from, long to, int thread) {
    (void)thread;
    for (long row = from; row < to; row++) {
        fill_row(row);
        mean[row] = mean_of(row);
    }
}

static long covariance_of(long one, long other) {
    long sum = 0;
    for (int column = 0; column < COLUMNS; column++)
        sum += (matrix[one][column] - mean[one]) * (matrix[other][column] - mean[other]);
    return sum / (COLUMNS - 1);
}

static void covariance_part(long from, long to, int thread) {
    (void)thread;
    for (long row = from; row < to; row++)
        for (long other = row; other < rows; other++)
            covariance[row][other] = covariance[other][row] = covariance_of(row, other);
}

int main(int argc, char **argv) {
    int threads = threads_wanted(argc, argv);
    rows = argument(argc, argv, 1, 200);
    if (rows < 1 || rows > MOST_ROWS)
        return 1;
    map(mean_part, rows, threads);
    map(covariance_part, rows, threads);
    long check = 0;
    for (long row = 0; row < rows; row++)
        for (long other = 0; other < rows; other++)
            check = check * 7 + covariance[row][other];
    printf("%ld\n", check);
    return 0;
}
