// Counts how often each value of red, green and blue occurs in made-up pixels.
#include "map.h"

static long red[MOST_THREADS][256], green[MOST_THREADS][256], blue[MOST_THREADS][256];

static void count_pixel(uint32_t pixel, int thread) {
    red[thread][pixel & 255]++;
    green[thread][pixel >> 8 & 255]++;
    if ((pixel >> 16 & 255) > 40)
        blue[thread][pixel >> 16 & 255]++;
    else
        blue[thread][0]++;
}

static void count_part(long from, long to, int thread) {
    for (long i = from; i < to; i++)
        count_pixel(dice(i), thread);
}

int main(int argc, char **argv) {
    long n = argument(argc, argv, 1, 1000000);
    map(count_part, n, threads_wanted(argc, argv));
    unsigned long sum = 0;
    for (int value = 0; value < 256; value++)
        for (int thread = 0; thread < MOST_THREADS; thread++)
            sum += (unsigned long)(value + 1) * (unsigned long)(red[thread][value] + 3 * green[thread][value] + 7 * blue[thread][value]);
    printf("%lu\n", sum);
    return 0;
}
