// Fits a line through made-up points by least squares.
#include "map.h"

struct sums {
    long x, y, xx, yy, xy;
};

static struct sums sums[MOST_THREADS];

static void add_point(uint32_t point, struct sums *to) {
    long x = point & 255, y = (x + (point >> 8 & 63)) & 255;
    if (point >> 24 == 7)
        return; // an outlier
    to->x += x;
    to->y += y;
    to->xx += x * x;
    to->yy += y * y;
    to->xy += x * y;
}

static void add_part(long from, long to, int thread) {
    for (long i = from; i < to; i++)
        add_point(dice(i), &sums[thread]);
}

int main(int argc, char **argv) {
    long n = argument(argc, argv, 1, 1000000);
    map(add_part, n, threads_wanted(argc, argv));
    struct sums all = {0};
    for (int thread = 0; thread < MOST_THREADS; thread++) {
        all.x += sums[thread].x;
        all.y += sums[thread].y;
        all.xx += sums[thread].xx;
        all.yy += sums[thread].yy;
        all.xy += sums[thread].xy;
    }
    printf("%ld %ld %ld %ld %ld\n", all.x, all.y, all.xx, all.yy, all.xy);
    return 0;
}
