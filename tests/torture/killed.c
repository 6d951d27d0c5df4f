#include <signal.h>
static int f(int n) { for (int i = 0; i < n; i++) if (i == 5) raise(SIGKILL); return n; }
int main(void) { return f(3) + f(9); }
