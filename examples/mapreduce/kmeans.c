// Groups made-up points around means until no point changes its group.
#include "map.h"

enum { DIMENSIONS = 3, CLUSTERS = 8, MOST_POINTS = 1000000 };

static int group[MOST_POINTS];
static long mean[CLUSTERS][DIMENSIONS];
static long sum[MOST_THREADS][CLUSTERS][DIMENSIONS], members[MOST_THREADS][CLUSTERS], changed[MOST_THREADS];

static long coordinate(long point, int dimension) {
    return dice(point * DIMENSIONS + dimension) % 1000;
}

static long squared_distance(long point, int cluster) {
    long distance = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        long apart = coordinate(point, d) - mean[cluster][d];
        distance += apart * apart;
    }
    return distance;
}

static void add_to_sum(long point, int cluster, int thread) {
    for (int d = 0; d < DIMENSIONS; d++)
        sum[thread][cluster][d] += coordinate(point, d);
    members[thread][cluster]++;
}

static void find_group(long point, int thread) {
    int best = 0;
    long least = squared_distance(point, 0);
    for (int cluster = 1; cluster < CLUSTERS; cluster++) {
        long distance = squared_distance(point, cluster);
        if (distance < least) {
            least = distance;
            best = cluster;
        }
    }
    if (group[point] != best) {
        group[point] = best;
        changed[thread]++;
    }
    add_to_sum(point, best, thread);
}

static void find_part(long from, long to, int thread) {
    for (long point = from; point < to; point++)
        find_group(point, thread);
}

// The new means; how many points changed their group.
static long calculate_means(void) {
    long all = 0;
    for (int cluster = 0; cluster < CLUSTERS; cluster++) {
        long count = 0, total[DIMENSIONS] = {0};
        for (int thread = 0; thread < MOST_THREADS; thread++) {
            count += members[thread][cluster];
            members[thread][cluster] = 0;
            for (int d = 0; d < DIMENSIONS; d++) {
                total[d] += sum[thread][cluster][d];
                sum[thread][cluster][d] = 0;
            }
        }
        for (int d = 0; d < DIMENSIONS; d++)
            mean[cluster][d] = count > 0 ? total[d] / count : mean[cluster][d];
    }
    for (int thread = 0; thread < MOST_THREADS; thread++) {
        all += changed[thread];
        changed[thread] = 0;
    }
    return all;
}

int main(int argc, char **argv) {
    long n = argument(argc, argv, 1, 20000);
    int threads = threads_wanted(argc, argv), rounds = 0;
    if (n < 1 || n > MOST_POINTS)
        return 1;
    for (int cluster = 0; cluster < CLUSTERS; cluster++)
        for (int d = 0; d < DIMENSIONS; d++)
            mean[cluster][d] = coordinate(cluster, d);
    do {
        map(find_part, n, threads);
        rounds++;
    } while (calculate_means() > 0 && rounds < 40);
    long check = rounds;
    for (int cluster = 0; cluster < CLUSTERS; cluster++)
        for (int d = 0; d < DIMENSIONS; d++)
            check = check * 31 + mean[cluster][d];
    printf("%d rounds, %ld\n", rounds, check);
    return 0;
}
