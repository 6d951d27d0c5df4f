// clean: iterations write different members.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

enum { N = 2 };
static struct {
    char one, other;
} a;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i)
            a.one = 1;
        else
            a.other = 1;
    }
    printf("%ld\n", (long)(a.one));
}
