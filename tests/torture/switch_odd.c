#include <stdio.h>
#include <stdbool.h>
static int f(int n) {
    switch (n) { }
    switch (n) { default: n++; }
    switch (n) { case 3: n += 10; }
    switch (n) { default: n += 1; break; case 5: n += 2; case 6: n += 3; }
    switch (n > 5) { case true: n--; break; case false: n++; }
    switch (n) { int hidden; case 7: hidden = 4; n += hidden; break; case 8: hidden = 5; n -= hidden; }
    switch ((char)n) { case 'a': return 1; case -1: return 2; }
    if (n & 1) switch (n & 6) case 2: case 4: n *= 2;
    return n;
}
int main(void) {
    int sum = 0;
    for (int i = -3; i < 100; i++) sum += f(i);
    printf("%d\n", sum);
}
