#include <stdio.h>
static int f(int a, int b) {
    for (;;) {
        switch (a) {
        case 0:
            switch (b) { case 0: return 1; case 1: b--; continue; default: break; }
            b -= 2;
            break;
        case 1: a = b > 2 ? 0 : 2; continue;
        case 2: if (b) { case 3: b--; a = 0; break; } return 9;
        default: a--; continue;
        }
        if (b < 0) return b;
    }
}
int main(void) {
    int sum = 0;
    for (int a = 0; a < 6; a++) for (int b = 0; b < 6; b++) sum += f(a, b);
    printf("%d\n", sum);
}
