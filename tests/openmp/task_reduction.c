#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : x)
    for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : x)
      x += i;
    }
    y = x;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
