#include <setjmp.h>
#include <stdio.h>
static jmp_buf buffer;
static void maybe(int i) { if (i % 3 == 1) longjmp(buffer, i); }
int main(void) {
    volatile int sum = 0;
    for (volatile int i = 0; i < 12; i++) {
        if (setjmp(buffer)) { sum += 100; continue; }
        for (int j = 0; j < 3; j++) { sum++; maybe(i + j); }
    }
    printf("%d\n", sum);
}
