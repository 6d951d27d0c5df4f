#include <stdarg.h>
#include <stdio.h>
static int sum(const char *kinds, ...) {
    va_list list, again;
    va_start(list, kinds);
    va_copy(again, list);
    double total = 0;
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': total += va_arg(list, int); break;
        case 'd': total += va_arg(list, double); break;
        case 's': for (const char *s = va_arg(list, char *); *s; s++) total += 1; break;
        default: va_end(list); return -1;
        }
    va_end(list);
    va_end(again);
    return (int)total;
}
int main(void) { printf("%d %d %d\n", sum("iid", 1, 2, 3.5), sum("sdi", "abc", 2.0, 1), sum("x")); }
