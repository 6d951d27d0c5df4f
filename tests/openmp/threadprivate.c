#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];
static int t;
#pragma omp threadprivate(t)

int main(void) {
#pragma omp parallel
  {
    t = omp_get_thread_num();
  }
#pragma omp parallel
  {
    a[omp_get_thread_num()] = t;
  }
  x = a[0] + a[1];
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
