#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 8; i++) {
#pragma omp task untied firstprivate(i)
      {
        a[i] = i;
#pragma omp taskyield
        a[i] += 1;
      }
    }
#pragma omp taskwait
    for (int i = 0; i < 8; i++)
      x += a[i];
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
