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
#pragma omp task firstprivate(i)
        {
          for (volatile int j = 0; j < 10000; j++) {
          }
          a[i] = i;
        }
      }
    }
    for (int i = 0; i < 8; i++)
      x += a[i];
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
