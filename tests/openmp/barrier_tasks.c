#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    {
      for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
        a[i] = i;
      }
    }
#pragma omp barrier
    b[omp_get_thread_num()] = a[0] + a[7];
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
