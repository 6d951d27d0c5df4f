#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : x) grainsize(1)
    for (int i = 0; i < 16; i++)
      x += i;
    y = x;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
