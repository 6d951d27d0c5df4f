#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
      {
#pragma omp atomic
        y += i;
#pragma omp cancel taskgroup
      }
    }
    x = y >= 0;
    y = 0;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
