// clean: dependences order siblings.
// flags: -fopenmp
// threads: 1 2 4 8
#include <stdio.h>

int main(void) {
    int a = 0, b = 0, c = 0;
#pragma omp parallel
#pragma omp single
    for (int turn = 0; turn < 10; turn++) {
#pragma omp task depend(out : a)
        a = turn;
#pragma omp task depend(in : a) depend(out : b)
        b = a + 1;
#pragma omp task depend(in : a) depend(out : c)
        c = a + 2;
#pragma omp task depend(in : b, c) depend(inout : a)
        a = b + c;
#pragma omp task depend(mutexinoutset : a)
        a++;
#pragma omp task depend(mutexinoutset : a)
        a += 2;
    }
    printf("%d\n", a);
}
