#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        x = 1;
      }
    }
    y = x;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
