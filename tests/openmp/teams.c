#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for
  for (int i = 0; i < 32; i++)
    a[i] = i;
  for (int i = 0; i < 32; i++)
    x += a[i];
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
