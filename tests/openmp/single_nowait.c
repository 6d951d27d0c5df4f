#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
  {
#pragma omp single
    x = 5;
    a[omp_get_thread_num()] = x;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
