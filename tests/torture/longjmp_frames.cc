#include <csetjmp>
#include <cstdio>
static jmp_buf buffer;
static void deep(int n) { if (n == 0) std::longjmp(buffer, 1); if (n & 1) { int s = n; for (int i = 0; i < 2; i++) s += i; if (s) deep(n - 1); } else deep(n - 1); }
int main() { volatile int n = 0; if (setjmp(buffer) == 0) deep(3); else if (++n < 4) deep(n); try { if (n > 2) throw 1; } catch (int) { std::printf("%d\n", n); } }
