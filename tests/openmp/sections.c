#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel sections
  {
#pragma omp section
    x = 1;
#pragma omp section
    y = 2;
  }
  z = x + y;
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
