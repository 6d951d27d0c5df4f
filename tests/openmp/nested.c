#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
      a[me * 2 + omp_get_thread_num()] = 1;
    }
    b[me] = a[me * 2] + a[me * 2 + 1];
  }
  x = b[0] + b[1];
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
