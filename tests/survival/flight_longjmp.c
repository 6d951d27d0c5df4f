//#entries: middle 30
//#flying: middle 20
//#entries: jump 20
//#entries: main 1
// Two of three frames of middle are jumped over.
#include <setjmp.h>
static jmp_buf back;
__attribute__((noinline)) static void jump(int n) { if (n % 3) longjmp(back, 1); __asm__ volatile(""); }
__attribute__((noinline)) static void middle(int n) { if (n % 3) jump(n); __asm__ volatile(""); }
int main(void) {
    for (volatile int i = 0; i < 30; i++) if (!setjmp(back)) middle(i);
    return 0;
}
