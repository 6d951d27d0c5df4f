// Adds up what its arguments stand for, as util.h says.
#include <stdio.h>

#include "util.h"

int main(int count, char **words) {
    long sum = 0;
    for (int i = 1; i < count; i++)
        sum += parse_number(words[i]);
    printf("%ld\n", sum);
    return 0;
}
