#include <stdio.h>
#include <stdlib.h>
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a > b ? a - b : 0; }
static int mul(int a, int b) { int s = 0; while (b--) s += a; return s; }
static int (*const table[])(int, int) = {add, sub, mul};
static int comparisons;
static int compare(const void *a, const void *b) { comparisons++; int x = *(int *)a, y = *(int *)b; return x < y ? -1 : x > y; }
static int apply(int (*f)(int, int), int n) { return n ? f(apply(f, n - 1), n) : 1; }
int main(void) {
    int data[] = {5, 2, 9, 1, 7, 3}, key = 7, sum = 0;
    qsort(data, 6, sizeof *data, compare);
    int *found = bsearch(&key, data, 6, sizeof *data, compare);
    for (int i = 0; i < 9; i++) sum += table[i % 3](i, 4);
    for (int i = 0; i < 3; i++) sum += apply(table[i], 4);
    printf("%d %d %d\n", sum, found ? (int)(found - data) : -1, comparisons > 0);
}
