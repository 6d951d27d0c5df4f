// Ends in the middle of a loop, by a signal.
#include <signal.h>

static int step(int value) { return value % 3 == 0 ? value / 3 : value * 2 + 1; }

int main(void) {
    int value = 7;
    for (int round = 0; round < 100000; round++) {
        value = step(value) & 0xffff;
        if (round == 5000) raise(SIGKILL);
    }
    return value;
}
