#include <stdio.h>
static int f(int n) {
    switch (n) {
    case 0: return 7;
    case 1: n += 2; break;
    case 2: n *= 2; /* falls through */
    case 3: n++; break;
    case 4: case 5: return n;
    case 6: n = -n; break;
    case 7: for (int i = 0; i < 3; i++) n += i; break;
    default: n = 99;
    }
    return n + 1;
}
int main(void) {
    int sum = 0;
    for (int i = -2; i < 12; i++) sum += f(i);
    printf("%d\n", sum);
}
