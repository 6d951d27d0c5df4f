#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel for ordered(1)
  for (int i = 1; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
    a[i] = a[i - 1] + i;
#pragma omp ordered depend(source)
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
