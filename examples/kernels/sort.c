// Quicksort with insertion sort for short runs, then heapsort: unpredictable branches.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void swap(uint32_t *a, uint32_t *b) {
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

static void quicksort(uint32_t *a, long low, long high) {
    while (high - low > 16) {
        uint32_t pivot = a[low + (high - low) / 2];
        long i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j)
                swap(&a[i++], &a[j--]);
        }
        if (j - low < high - i) {
            quicksort(a, low, j);
            low = i;
        } else {
            quicksort(a, i, high);
            high = j;
        }
    }
    for (long i = low + 1; i <= high; i++)
        for (long j = i; j > low && a[j - 1] > a[j]; j--)
            swap(&a[j - 1], &a[j]);
}

static void sift(uint32_t *a, long root, long end) {
    for (;;) {
        long child = 2 * root + 1;
        if (child >= end)
            return;
        if (child + 1 < end && a[child] < a[child + 1])
            child++;
        if (a[root] >= a[child])
            return;
        swap(&a[root], &a[child]);
        root = child;
    }
}

static void heapsort_(uint32_t *a, long n) {
    for (long root = n / 2 - 1; root >= 0; root--)
        sift(a, root, n);
    for (long end = n - 1; end > 0; end--) {
        swap(&a[0], &a[end]);
        sift(a, 0, end);
    }
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 4000000;
    uint32_t *a = malloc((size_t)n * sizeof *a), seed = 12345, sum = 0;
    if (a == NULL)
        return 1;
    for (int method = 0; method < 2; method++) {
        for (long i = 0; i < n; i++)
            a[i] = seed = seed * 1664525u + 1013904223u;
        if (method == 0)
            quicksort(a, 0, n - 1);
        else
            heapsort_(a, n);
        for (long i = 1; i < n; i++)
            sum = sum * 31 + (a[i] >= a[i - 1]) + a[i];
    }
    printf("sort %u\n", sum);
    free(a);
    return 0;
}
