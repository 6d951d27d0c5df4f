#include <stdio.h>
#include <string.h>
static int hot(const unsigned char *p, int n, int flag) {
    int s = 0, last = -1;
    for (int i = 0; i < n; i++) {
        if (flag) s += p[i] * 2;            /* unswitched */
        s += p[i] > 100 ? 1 : 0;            /* a select */
        if (p[i] == 'a' || p[i] == 'e' || p[i] == 'i') s += 5;   /* a bit test */
        if (last == p[i]) s++;              /* threaded */
        last = p[i];
    }
    for (int i = 0; i < n; i++) if (i == 0) s += 3; else if (i == n - 1) s += 4;   /* peeled */
    return s;
}
static void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = 'a'; }
int main(void) { char b[50]; fill(b, 49); b[49] = 0; printf("%d %d %zu\n", hot((unsigned char *)b, 49, 0), hot((unsigned char *)"hello aei", 9, 1), strlen(b)); }
