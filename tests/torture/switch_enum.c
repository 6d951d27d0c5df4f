#include <stdio.h>
enum e { A, B, C, D = 50 };
static const char *name(enum e e) {
    switch (e) { case A: return "A"; case B: return "B"; case C: return "C"; case D: return "D"; }
    __builtin_unreachable();
}
int main(void) { for (int i = 0; i < 3; i++) puts(name(i)); puts(name(D)); }
