#include <stdio.h>
static int f(unsigned long n) {
    switch (n) {
    case 1: return 1;
    case 1000: return 2;
    case 1000000: return 3;
    case 0xffffffffffffffff: return 4;
    case 0x100000000: return 5;
    }
    return 0;
}
int main(void) { printf("%d\n", f(1) + f(2) + f(1000) + f(-1ul) + f(1ul << 32) + f(1000000)); }
