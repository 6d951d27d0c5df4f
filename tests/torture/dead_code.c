#include <stdio.h>
static int never(int n) { if (n) return 1; return 2; }
static int f(int n) { if (0) n = never(n); while (0) n++; for (;0;) n--; return n; puts("after"); goto end; end: return -1; }
int main(void) { int s = 0; for (int i = 0; i < 3; i++) s += f(i); if (s < 0) printf("%d\n", never(s)); printf("%d\n", s); }
