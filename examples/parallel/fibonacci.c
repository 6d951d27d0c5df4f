// Fibonacci numbers by their definition, the classic of task parallelism (Frigo, Leiserson,
// Randall: The implementation of the Cilk-5 multithreaded language, 1998): each call spawns one of
// its two calls as a task, makes the other one itself and waits for the task.
//
//     fibonacci [THREADS [N]]
//
// With -fopenmp, tasks are those of OpenMP. Without, each task is a thread of its own as long as
// there are fewer than THREADS leaves. Below that, calls are calls.
#include "team.h"

enum { MOST_N = 90, SMALL = 12 };

// The number by additions, to compare with.
static uint64_t by_addition(size_t n) {
    uint64_t one = 0, next = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = one + next;
        one = next;
        next = sum;
    }
    return one;
}

static uint64_t by_calls(size_t n) { return n < 2 ? n : by_calls(n - 1) + by_calls(n - 2); }

#ifdef _OPENMP
static uint64_t fibonacci(size_t n) {
    if (n < SMALL)
        return by_calls(n);
    uint64_t a, b;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static uint64_t start(size_t n, int threads) {
    uint64_t result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    result = fibonacci(n);
    return result;
}
#else
struct task {
    size_t n;
    // How many leaves there may be below.
    int leaves;
    uint64_t result;
};

static uint64_t fibonacci(size_t n, int leaves);

static void *run_task(void *argument) {
    struct task *task = argument;
    task->result = fibonacci(task->n, task->leaves);
    return NULL;
}

static uint64_t fibonacci(size_t n, int leaves) {
    if (n < SMALL || leaves < 2)
        return by_calls(n);
    pthread_t thread;
    struct task a = {n - 1, leaves - leaves / 2, 0};
    if (pthread_create(&thread, NULL, run_task, &a) != 0)
        abort();
    uint64_t b = fibonacci(n - 2, leaves / 2);
    pthread_join(thread, NULL);
    return a.result + b;
}

static uint64_t start(size_t n, int threads) { return fibonacci(n, threads); }
#endif

int main(int argc, char **argv) {
    int threads = 2;
    size_t n = 27;
    read_arguments(argc, argv, &threads, &n, MOST_N);
    uint64_t result = start(n, threads);
    printf("fibonacci: number %zu is %lu, %s\n", n, (unsigned long)result,
           result == by_addition(n) ? "right" : "WRONG");
    return 0;
}
