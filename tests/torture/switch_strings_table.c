#include <stdio.h>
static int days(int m) {
    switch (m) { case 1: return 31; case 2: return 28; case 3: return 31; case 4: return 30; case 5: return 31; case 6: return 30; case 7: return 31; }
    return -1;
}
int main(void) { int sum = 0; for (int m = 0; m < 10; m++) sum += days(m); printf("%d\n", sum); }
