#include <stdio.h>
#define C(n) case n: s += n * 7 % 13; break;
#define C10(n) C(n##0) C(n##1) C(n##2) C(n##3) C(n##4) C(n##5) C(n##6) C(n##7) C(n##8) C(n##9)
static int f(int n) { int s = 0; switch (n) { C10(1) C10(2) C10(3) C10(4) C10(5) C10(6) C10(7) C10(8) C10(9) default: s = -1; } return s; }
int main(void) { int s = 0; for (int i = 0; i < 120; i++) s += f(i) * (i & 3); printf("%d\n", s); }
