#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20; i++) {
    int v;
#pragma omp atomic capture
    v = x++;
    a[v] = i;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
