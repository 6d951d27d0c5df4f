#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel for reduction(+ : a[ : 8])
  for (int i = 0; i < 20; i++)
    a[i & 7] += i;
  for (int i = 0; i < 8; i++)
    x += a[i];
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
