// race: iterations write different bits of one byte.
// flags: -fopenmp
// threads: 1 2 4 8
// level: -O0
#include <stdio.h>

enum { N = 2 };
static struct {
    unsigned char one : 4, other : 4;
} a;
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i)
            a.one = 1; // race
        else
            a.other = 1; // race
    }
    printf("%ld\n", (long)(a.one));
}
