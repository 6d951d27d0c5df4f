#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 40; i++) {
#pragma omp cancellation point for
    if (i == 5) {
#pragma omp cancel for
    }
  }
  x = 1;
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
