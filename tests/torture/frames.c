#include <stdio.h>
__attribute__((noinline)) static int f(int n) {
    void *frame = __builtin_frame_address(0), *from = __builtin_return_address(0);
    void *clean = __builtin_extract_return_addr(from);
    if (!frame || !from) return -1;
    if (n == 0) return clean == from;
    return f(n - 1) + (__builtin_dwarf_cfa() != 0);
}
int main(void) { printf("%d\n", f(5)); }
