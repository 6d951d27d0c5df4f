#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(2)
    for (int i = 0; i < 16; i++)
      a[i] = i;
    for (int i = 0; i < 16; i++)
      x += a[i];
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
