#include "util.h"

long parse_number(const char *word) {
    long number = 0, length = 0;
    for (; word[length]; length++) {
        if (word[length] < '0' || word[length] > '9')
            number = -1;
        else if (number >= 0)
            number = 10 * number + word[length] - '0';
    }
    return number < 0 ? length : number;
}
