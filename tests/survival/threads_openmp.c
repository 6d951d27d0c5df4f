//#with: -fopenmp=libomp | -fopenmp=libgomp
//#needs: ls /usr/lib/llvm-22/lib/libomp.so /usr/lib/gcc/x86_64-linux-gnu/*/libgomp.so
//#entries: hot 400000
//#build: $CC -g -O2 $FLAGS "$HERE/threads_openmp.c" -o prog -L$(dirname $(ls /usr/lib/gcc/x86_64-linux-gnu/*/libgomp.so)) -L/usr/lib/llvm-22/lib
//#run: OMP_NUM_THREADS=4 LD_LIBRARY_PATH=/usr/lib/llvm-22/lib ./prog
#include <stdio.h>
__attribute__((noinline)) int hot(int x) { __asm__ volatile("" : "+r"(x)); return x & 1 ? x + 1 : x - 1; }
int main(void) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 400000; i++) sum += hot(i);
    printf("%ld\n", sum);
    return 0;
}
