#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task if (0)
    x = 1;
    y = x;
#pragma omp task final(1)
    {
#pragma omp task
      z = 1;
    }
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
