#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
  int v;
#pragma omp parallel for lastprivate(v)
  for (int i = 0; i < 20; i++)
    v = i;
  x = v;
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
