#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      x = 5;
#pragma omp flush
#pragma omp atomic write
      y = 1;
    } else {
      int v = 0;
      while (!v) {
#pragma omp atomic read
        v = y;
      }
#pragma omp flush
      z = x;
    }
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
