// A current in a square basin: solves Poisson's equation on a grid by successive over-relaxation of
// red points, then of black ones (Young: Iterative solution of large linear systems, 1971). Models
// of oceans spend their time so, such as the one in SPLASH-2 (Woo et al., 1995).
//
//     ocean [THREADS [SIDE]]
//
// The points are coloured like a chessboard. A point depends on neighbours of the other colour
// alone, so threads may relax a colour in any order, and the result is the same for any number of
// them. A barrier stands between colours. Each thread has a band of rows.
#include "team.h"

#include <math.h>

enum { MOST_SIDE = 4096, MOST_ROUNDS = 40 };

static const double OVER = 1.7, SMALL = 1e-7;

static size_t side = 300;
static double *height, *wind;
// By thread: the largest change of a round.
static double change[MOST_THREADS];

static double *at(double *grid, size_t row, size_t column) {
    return &grid[row * (side + 2) + column];
}

static void blow(size_t row) {
    for (size_t column = 1; column <= side; column++)
        *at(wind, row, column) = (fraction(row * side + column) - 0.5) / (double)side;
}

// Relaxes the points of a colour in a row; the largest change.
static double relax(size_t row, size_t colour) {
    double largest = 0;
    for (size_t column = 1 + (row + colour) % 2; column <= side; column += 2) {
        double *point = at(height, row, column);
        double around =
            *at(height, row - 1, column) + *at(height, row + 1, column) + point[-1] + point[1];
        double step = OVER * ((around - *at(wind, row, column)) / 4 - *point);
        *point += step;
        largest = fmax(largest, fabs(step));
    }
    return largest;
}

static double largest_change(int threads) {
    double largest = 0;
    for (int thread = 0; thread < threads; thread++)
        largest = fmax(largest, change[thread]);
    return largest;
}

static int rounds;

static void settle(int thread, int threads) {
    size_t from = 1 + share_begin(side, thread, threads);
    size_t to = 1 + share_begin(side, thread + 1, threads);
    for (size_t row = from; row < to; row++)
        blow(row);
    team_barrier();
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double largest = 0;
        for (size_t colour = 0; colour < 2; colour++) {
            for (size_t row = from; row < to; row++)
                largest = fmax(largest, relax(row, colour));
            if (colour == 1)
                change[thread] = largest;
            team_barrier();
        }
        if (thread == 0)
            rounds = round + 1;
        double all = largest_change(threads);
        team_barrier();
        if (all < SMALL)
            break;
    }
}

int main(int argc, char **argv) {
    int threads = 2;
    read_arguments(argc, argv, &threads, &side, MOST_SIDE);
    height = allocate((side + 2) * (side + 2), sizeof *height);
    wind = allocate((side + 2) * (side + 2), sizeof *wind);
    team_run(settle, threads);
    uint64_t sum = 0;
    for (size_t i = 0; i < (side + 2) * (side + 2); i++)
        sum = checksum(sum, bits_of(height[i]));
    printf("ocean: side %zu, %d rounds, %016lx\n", side, rounds, (unsigned long)sum);
    free(height);
    free(wind);
    return 0;
}
