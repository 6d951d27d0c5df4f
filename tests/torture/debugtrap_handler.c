#include <signal.h>
#include <stdio.h>
static int traps;
static void handler(int signal) { traps++; }
int main(void) { signal(SIGTRAP, handler); for (int i = 0; i < 3; i++) if (i != 1) __builtin_debugtrap(); printf("%d\n", traps); }
