#include <stdio.h>
#define max(a, b) ({ __auto_type x = (a); __auto_type y = (b); x > y ? x : y; })
static int f(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += max(i, 3);
        sum += ({ if (i == 5) continue; i * 2; });
        sum += ({ if (i == 7) break; 1; });
        sum += ({ int j = 0; while (j < i) { if (j == 2) break; j++; } j; });
        if (({ if (i == 9) return -1; i & 1; })) sum++;
        sum += ({ if (i == 3) goto out; 0; }) + 1;
    out:;
    }
    return sum;
}
int main(void) { printf("%d %d %d\n", f(3), f(6), f(12)); }
