#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 16; i++)
      a[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 16; i++)
      b[i] = i;
  }
  x = a[1] + b[2];
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
