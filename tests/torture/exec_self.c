#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 1 ? 2 : 1; return s; }
int main(int count, char **words) {
    int n = count > 1 ? atoi(words[1]) : 0;
    printf("%d %d\n", n, f(n + 3));
    fflush(stdout);
    if (n < 2) { char next[8]; snprintf(next, sizeof next, "%d", n + 1); execl(words[0], words[0], next, (char *)0); return 9; }
    return 0;
}
