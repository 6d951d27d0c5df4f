#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp taskyield
    for (volatile int i = 0; i < 100000; i++) {
    }
#pragma omp task depend(in : x)
    y = x;
#pragma omp task depend(inout : omp_all_memory)
    z = x + y;
#pragma omp task depend(in : a[3])
    a[3] = z;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
