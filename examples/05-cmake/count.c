#include <stdio.h>

#include "tokens.h"

int main(int argc, char **argv) {
    const char *text = argc > 1 ? argv[1] : "the quick brown fox";
    int words = 0;
    while (next_token(&text))
        words++;
    printf("%d words\n", words);
    return 0;
}
