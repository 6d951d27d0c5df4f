// LU decomposition of a dense matrix in blocks, without pivots (Golub, Van Loan: Matrix
// computations, 3.2). The blocks are dealt out to a grid of threads, as in Woo, Singh, Hennessy:
// The performance advantages of integrating block data transfer, 1994.
//
//     lu [THREADS [SIDE]]
//
// The side is in numbers, and rounded up to whole blocks. In each round, the block on the diagonal
// is decomposed, then its row and column, then all that is left; a barrier stands between them.
#include "team.h"

#include <math.h>

enum { BLOCK = 16, MOST_SIDE = 8192 };

typedef double block[BLOCK][BLOCK];

static size_t side = 256, blocks;
static block *matrix;

static block *block_at(size_t row, size_t column) { return &matrix[row * blocks + column]; }

// The diagonal is larger than the rest of its row together, so no pivot is needed.
static double element(size_t row, size_t column) {
    double value = fraction(row * side + column) - 0.5;
    return row == column ? value + (double)side : value;
}

static void fill_block(size_t row, size_t column) {
    block *a = block_at(row, column);
    for (size_t i = 0; i < BLOCK; i++)
        for (size_t j = 0; j < BLOCK; j++)
            (*a)[i][j] = element(row * BLOCK + i, column * BLOCK + j);
}

static void decompose(block *a) {
    for (size_t k = 0; k < BLOCK; k++)
        for (size_t i = k + 1; i < BLOCK; i++) {
            (*a)[i][k] /= (*a)[k][k];
            for (size_t j = k + 1; j < BLOCK; j++)
                (*a)[i][j] -= (*a)[i][k] * (*a)[k][j];
        }
}

// A block below the diagonal: solves x·U = a.
static void divide_column(block *a, block *diagonal) {
    for (size_t k = 0; k < BLOCK; k++)
        for (size_t i = 0; i < BLOCK; i++) {
            (*a)[i][k] /= (*diagonal)[k][k];
            for (size_t j = k + 1; j < BLOCK; j++)
                (*a)[i][j] -= (*a)[i][k] * (*diagonal)[k][j];
        }
}

// A block right of the diagonal: solves L·x = a.
static void divide_row(block *a, block *diagonal) {
    for (size_t k = 0; k < BLOCK; k++)
        for (size_t i = k + 1; i < BLOCK; i++)
            for (size_t j = 0; j < BLOCK; j++)
                (*a)[i][j] -= (*diagonal)[i][k] * (*a)[k][j];
}

static void subtract_product(block *a, block *left, block *above) {
    for (size_t i = 0; i < BLOCK; i++)
        for (size_t k = 0; k < BLOCK; k++)
            for (size_t j = 0; j < BLOCK; j++)
                (*a)[i][j] -= (*left)[i][k] * (*above)[k][j];
}

// Threads are a grid as square as it can be; blocks are dealt out to it in both directions.
static int is_mine(size_t row, size_t column, int thread, int threads) {
    int rows = 1;
    for (int divisor = 2; divisor * divisor <= threads; divisor++)
        if (threads % divisor == 0)
            rows = divisor;
    int columns = threads / rows;
    int owner = (int)(row % (size_t)rows) * columns + (int)(column % (size_t)columns);
    return owner == thread;
}

static void factorise(int thread, int threads) {
    for (size_t i = 0; i < blocks; i++)
        for (size_t j = 0; j < blocks; j++)
            if (is_mine(i, j, thread, threads))
                fill_block(i, j);
    for (size_t k = 0; k < blocks; k++) {
        block *diagonal = block_at(k, k);
        if (is_mine(k, k, thread, threads))
            decompose(diagonal);
        team_barrier();
        for (size_t i = k + 1; i < blocks; i++) {
            if (is_mine(i, k, thread, threads))
                divide_column(block_at(i, k), diagonal);
            if (is_mine(k, i, thread, threads))
                divide_row(block_at(k, i), diagonal);
        }
        team_barrier();
        for (size_t i = k + 1; i < blocks; i++)
            for (size_t j = k + 1; j < blocks; j++)
                if (is_mine(i, j, thread, threads))
                    subtract_product(block_at(i, j), block_at(i, k), block_at(k, j));
    }
}

static double factor(size_t row, size_t column) {
    return (*block_at(row / BLOCK, column / BLOCK))[row % BLOCK][column % BLOCK];
}

// Whether some elements of L·U are those of the matrix.
static int is_product(void) {
    for (size_t probe = 0; probe < 64; probe++) {
        size_t row = dice(2 * probe) % side, column = dice(2 * probe + 1) % side;
        double sum = row <= column ? factor(row, column) : 0;
        for (size_t k = 0; k < row && k <= column; k++)
            sum += factor(row, k) * factor(k, column);
        if (fabs(sum - element(row, column)) > 1e-9 * (double)side)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    int threads = 2;
    read_arguments(argc, argv, &threads, &side, MOST_SIDE);
    blocks = (side + BLOCK - 1) / BLOCK;
    side = blocks * BLOCK;
    matrix = allocate(blocks * blocks, sizeof *matrix);
    team_run(factorise, threads);
    uint64_t sum = 0;
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++)
            sum = checksum(sum, bits_of(factor(i, j)));
    printf("lu: side %zu, %s, %016lx\n", side, is_product() ? "right" : "WRONG",
           (unsigned long)sum);
    free(matrix);
    return 0;
}
