// flags: -mrtm
#include <immintrin.h>
#include <stdio.h>
static int value;
static int f(int n) {
    if (!__builtin_cpu_supports("rtm")) { value += n; return 0; }
    for (int tries = 0; tries < 3; tries++) {
        unsigned status = _xbegin();
        if (status == _XBEGIN_STARTED) { value += n; if (n == 100) _xabort(7); _xend(); return 0; }
        if (!(status & _XABORT_RETRY)) break;
    }
    value += n;
    return 0;
}
int main(void) { for (int i = 0; i < 5; i++) f(i); printf("%d\n", value); }
