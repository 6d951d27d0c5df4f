#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
  omp_lock_t l;
  omp_init_lock(&l);
#pragma omp parallel for
  for (int i = 0; i < 20; i++) {
    while (!omp_test_lock(&l)) {
    }
    x += i;
    omp_unset_lock(&l);
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
