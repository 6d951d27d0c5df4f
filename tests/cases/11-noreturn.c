// Counted before the call that does not come back; the callers' paths never end.
#include <stdlib.h>

static void leave(int code)
{
    if (code)
        code = 0;
    exit(code);
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        if (i == 3)
            leave(i);
    return 1;
}
