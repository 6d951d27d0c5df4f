#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(in : x) depend(out : y)
    y = x + 1;
#pragma omp task depend(in : x, y)
    z = x + y;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
