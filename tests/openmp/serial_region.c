#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel if (0)
  {
    x++;
  }
#pragma omp parallel num_threads(1)
  {
    x++;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
