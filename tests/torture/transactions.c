// flags: -mrtm
#include <immintrin.h>
#include <stdio.h>
// What a transaction does that is aborted was never done, counts and logs included. Whether one
// would be committed depends on the moment.
static int value, aborted;
static int f(int n) {
    if (!__builtin_cpu_supports("rtm")) { value += n; return 0; }
    for (int tries = 0; tries < 3; tries++) {
        if (_xbegin() == _XBEGIN_STARTED) { value += 1000; _xabort(7); }
        aborted++;
    }
    value += n;
    return aborted % 3;
}
int main(void) {
    int odd = 0;
    for (int i = 0; i < 5; i++) odd += f(i);
    printf("%d %d\n", value, odd);
}
