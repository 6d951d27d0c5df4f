#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
  omp_nest_lock_t l;
  omp_init_nest_lock(&l);
#pragma omp parallel for
  for (int i = 0; i < 20; i++) {
    omp_set_nest_lock(&l);
    omp_set_nest_lock(&l);
    x += i;
    omp_unset_nest_lock(&l);
    x += 1;
    omp_unset_nest_lock(&l);
  }
  omp_destroy_nest_lock(&l);
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
