#include <stdio.h>
static int n;
static void first(int count, char **words, char **environment) { n = count > 0 && words[0] && environment ? 7 : 1; }
__attribute__((section(".init_array"), used)) static void (*const entry)(int, char **, char **) = first;
int main(void) { printf("%d\n", n); }
