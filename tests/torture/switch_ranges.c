#include <stdio.h>
static int kind(int c) {
    switch (c) {
    case 'a' ... 'z': return 1;
    case 'A' ... 'Z': return 2;
    case '0' ... '9': return 3;
    case -5 ... -1: return 4;
    case ' ': case '\t': return 5;
    default: return 0;
    }
}
int main(void) {
    int counts[6] = {0};
    for (const char *p = "Hello, World 42\tend"; *p; p++) counts[kind(*p)]++;
    counts[kind(-3)]++;
    for (int i = 0; i < 6; i++) printf("%d ", counts[i]);
    puts("");
}
