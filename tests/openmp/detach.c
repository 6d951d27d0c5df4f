#include <omp.h>
#include <stdio.h>

static int x, y, z, a[64], b[64];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t ev;
#pragma omp task detach(ev)
    x = 1;
#pragma omp task
    {
      y = 2;
      omp_fulfill_event(ev);
    }
#pragma omp taskwait
    z = x + y;
  }
  printf("%d %d %d %d %d\n", x, y, z, a[3], b[0]);
}
