#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static void handler(int signal) { printf("caught %d\n", signal == SIGABRT); exit(5); }
int main(void) { signal(SIGABRT, handler); for (int i = 0; i < 3; i++) if (i == 2) abort(); }
