// Heat on a mesh with irregular neighbours: mesh THREADS POINTS.
//
// The points have no order in memory that fits their places, so that the address of each neighbour
// is another one. Where heat flows, a point takes a finer step. Each thread has a part of the
// points; a barrier stands between rounds.
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20, LEAST = 5, MORE = 4, NEAR = 4096, MOST_THREADS = 64 };

static const double FLOWS = 1e-3;

static size_t points;
static int threads;
// The neighbours of point n are those from first[n] to first[n + 1].
static uint32_t *first, *neighbours;
static double *heat, *next;
static pthread_barrier_t round_ended;

static uint32_t dice(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void join_points(void) {
    first = calloc(points + 1, sizeof *first);
    neighbours = calloc(points * (LEAST + MORE), sizeof *neighbours);
    for (size_t n = 0; n < points; n++) {
        uint32_t last = first[n];
        for (uint32_t left = LEAST + dice() % MORE; left > 0; left--)
            neighbours[last++] = (uint32_t)((n + points + dice() % NEAR - NEAR / 2) % points);
        first[n + 1] = last;
    }
}

static double around(const double *of, size_t n) {
    double sum = 0;
    for (uint32_t at = first[n]; at < first[n + 1]; at++)
        sum += of[neighbours[at]];
    return sum / (first[n + 1] - first[n]);
}

static void *work(void *number) {
    size_t thread = (size_t)(intptr_t)number;
    size_t from = points * thread / (size_t)threads, to = points * (thread + 1) / (size_t)threads;
    for (int round = 0; round < ROUNDS; round++) {
        const double *old = round % 2 ? next : heat;
        double *new = round % 2 ? heat : next;
        for (size_t n = from; n < to; n++) {
            double flow = around(old, n) - old[n];
            new[n] = old[n] + flow / 2;
            if (fabs(flow) > FLOWS)
                new[n] += (around(old, n) - new[n]) / 4;
        }
        pthread_barrier_wait(&round_ended);
    }
    return NULL;
}

int main(int count, char **words) {
    threads = count > 1 ? atoi(words[1]) : 2;
    points = count > 2 ? strtoul(words[2], NULL, 10) : 10000;
    if (threads < 1 || threads > MOST_THREADS || points < NEAR)
        return 1;
    join_points();
    heat = calloc(points, sizeof *heat);
    next = calloc(points, sizeof *next);
    for (size_t n = 0; n < points; n += 97)
        heat[n] = 1;
    pthread_barrier_init(&round_ended, NULL, (unsigned)threads);
    pthread_t of[MOST_THREADS];
    for (int thread = 0; thread < threads; thread++)
        pthread_create(&of[thread], NULL, work, (void *)(intptr_t)thread);
    for (int thread = 0; thread < threads; thread++)
        pthread_join(of[thread], NULL);
    double sum = 0;
    for (size_t n = 0; n < points; n++)
        sum += heat[n];
    printf("%.9f\n", sum);
    free(first), free(neighbours), free(heat), free(next);
}
