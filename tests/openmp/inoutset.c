#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    {
      a[0] = 0;
      a[1] = 0;
    }
#pragma omp task depend(inoutset : x)
    a[0] += 2;
#pragma omp task depend(inoutset : x)
    a[1] += 3;
#pragma omp task depend(in : x)
    y = a[0] + a[1];
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
