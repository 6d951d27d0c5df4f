#include <stdio.h>
#include <ucontext.h>
static ucontext_t home, other;
static char stack[65536];
static int produced;
static void produce(void) { for (int i = 0; i < 5; i++) { if (i == 3) continue; produced = i; swapcontext(&other, &home); } produced = -1; }
int main(void) {
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = sizeof stack;
    other.uc_link = &home;
    makecontext(&other, produce, 0);
    int sum = 0;
    do { swapcontext(&home, &other); sum = sum * 10 + produced; } while (produced >= 0);
    printf("%d\n", sum);
}
