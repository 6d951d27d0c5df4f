// A team of threads that run the same function: POSIX threads or, with -fopenmp, those of OpenMP.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64 };

typedef void (*team_function)(int thread, int threads);

#ifdef _OPENMP
#include <omp.h>

static void team_run(team_function work, int threads) {
    // What a program prints must not depend on how many threads the machine would give.
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    work(omp_get_thread_num(), omp_get_num_threads());
}

// Nobody goes on before all are here.
static void team_barrier(void) {
#pragma omp barrier
}
#else
struct member {
    team_function work;
    int thread, threads;
};

static pthread_barrier_t team_meeting;

static void *member_start(void *argument) {
    struct member *member = argument;
    member->work(member->thread, member->threads);
    return NULL;
}

static void team_run(team_function work, int threads) {
    pthread_t ids[MOST_THREADS];
    struct member members[MOST_THREADS];
    if (pthread_barrier_init(&team_meeting, NULL, (unsigned)threads) != 0)
        abort();
    for (int i = 1; i < threads; i++) {
        members[i] = (struct member){work, i, threads};
        if (pthread_create(&ids[i], NULL, member_start, &members[i]) != 0)
            abort();
    }
    work(0, threads);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    pthread_barrier_destroy(&team_meeting);
}

// Nobody goes on before all are here.
static void team_barrier(void) { pthread_barrier_wait(&team_meeting); }
#endif

// Which of `n` items are a thread's: those from the result on, up to that of the next thread.
static inline size_t share_begin(size_t n, int thread, int threads) {
    return n * (size_t)thread / (size_t)threads;
}

// Reads THREADS and SIZE, which must be at most `most`; ends the program if they make no sense.
static void read_arguments(int argc, char **argv, int *threads, size_t *size, size_t most) {
    if (argc > 1)
        *threads = atoi(argv[1]);
    if (argc > 2)
        *size = strtoul(argv[2], NULL, 10);
    if (*threads < 1 || *threads > MOST_THREADS || *size < 1 || *size > most) {
        fprintf(stderr, "usage: %s [THREADS [SIZE]], at most %d and %zu\n", argv[0], MOST_THREADS,
                most);
        exit(2);
    }
}

static inline void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fputs("there is no memory\n", stderr);
        exit(1);
    }
    return memory;
}

// A number that looks random, the same for the same item in every run: the mixer of splitmix64
// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
static inline uint64_t dice(uint64_t item) {
    uint64_t x = (item + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// The same between 0 and 1.
static inline double fraction(uint64_t item) {
    return (double)(dice(item) >> 11) / 9007199254740992.0;
}

// A checksum of numbers in their order, by the step of FNV-1a on words.
static inline uint64_t checksum(uint64_t sum, uint64_t word) {
    return (sum ^ word) * 0x100000001b3u;
}

static inline uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
