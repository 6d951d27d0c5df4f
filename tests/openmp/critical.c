#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20; i++) {
#pragma omp critical(name)
    x += i;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
