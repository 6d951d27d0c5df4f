#include <omp.h>
#include <stdio.h>

static int x, a[64];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20; i++) {
    int v;
#pragma omp atomic capture
    v = x++;
    a[v] = i;
  }
  int sum = 0;
  for (int i = 0; i < 20; i++)
    sum += a[i];
  printf("%d %d\n", x, sum);
}
