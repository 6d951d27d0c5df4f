#include "tokens.h"

int next_token(const char **text) {
    while (**text == ' ')
        ++*text;
    if (**text == '\0')
        return 0;
    while (**text != ' ' && **text != '\0')
        ++*text;
    return 1;
}
