// An integer wavelet transform (lifting, 5/3) of a picture, quantised with run lengths: short loops, many branches.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 512 };

static int picture[SIDE][SIDE];

// One lifting step over `n` values that lie `step` apart: lows to the front, highs to the back.
static void forward(int *x, int n, int step) {
    int line[SIDE];
    int half = n / 2;
    for (int i = 0; i < half; i++) {
        int next = i + 1 < half ? x[(2 * i + 2) * step] : x[2 * i * step];
        line[half + i] = x[(2 * i + 1) * step] - (x[2 * i * step] + next) / 2;
    }
    for (int i = 0; i < half; i++) {
        int before = i > 0 ? line[half + i - 1] : line[half];
        line[i] = x[2 * i * step] + (before + line[half + i] + 2) / 4;
    }
    for (int i = 0; i < n; i++)
        x[i * step] = line[i];
}

static uint32_t code(int threshold) {
    uint32_t sum = 0, run = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int value = picture[y][x];
            if (value > -threshold && value < threshold) {
                run++;
                continue;
            }
            if (run > 0) {
                sum = sum * 31 + run;
                run = 0;
            }
            int magnitude = value < 0 ? -value : value;
            while (magnitude >= threshold) {
                sum = sum * 3 + (unsigned)(magnitude & 1) + (value < 0 ? 2 : 0);
                magnitude /= 2;
            }
        }
    return sum + run;
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 240;
    uint32_t sum = 0;
    for (long round = 0; round < rounds; round++) {
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                picture[y][x] = ((x * x + y * (int)round) >> 4 & 255) + (x > y ? 40 : 0);
        for (int n = SIDE; n > 16; n /= 2) {
            for (int y = 0; y < n; y++)
                forward(picture[y], n, 1);
            for (int x = 0; x < n; x++)
                forward(&picture[0][x], n, SIDE);
        }
        sum = sum * 17 + code(8);
    }
    printf("wavelet %u\n", sum);
    return 0;
}
