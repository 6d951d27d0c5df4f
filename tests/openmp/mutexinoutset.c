#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(mutexinoutset : x)
    x += 2;
#pragma omp task depend(mutexinoutset : x)
    x += 3;
#pragma omp task depend(in : x)
    y = x;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
